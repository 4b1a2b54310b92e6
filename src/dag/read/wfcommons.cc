#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/json_walk.h"

// WfFormat of WfCommons. Since 1.5 the tasks and their order are in workflow.specification, their
// times in workflow.execution; before, both are in workflow.tasks:
//   {"workflow": {"specification": {"tasks": [{"id": "a", "parents": [], "children": ["b"]}, ...]},
//                 "execution": {"makespanInSeconds": 661, "tasks": [{"id": "a",
//                               "runtimeInSeconds": 100.4}], "machines": [...]}}}
namespace kstar::dag {

namespace {

class WfReader {
 public:
  explicit WfReader(const Source& source) : source_(source), json_(source) {}

  Result<TaskGraph> read() {
    JsonObject root;
    const bool good = json_.start(root) && json_.each(root, [&](const JsonMember& member) {
      if (member.key != "workflow") return true;
      found_ = true;
      return json_.members(member.value,
                           [&](const JsonMember& part) { return read_part(part, true); });
    });
    if (!good) return fail(json_.take_error());
    if (!found_ || tasks_.size() == 0) {
      return fail({.where = printable(source_.name),
                   .message = "expected workflow.specification.tasks, or workflow.tasks"});
    }
    return finish();
  }

 private:
  struct Link {
    std::string_view name;
    std::uint32_t task;
    bool parent;
  };

  bool read_part(const JsonMember& part, bool outer) {
    if (outer && (part.key == "specification" || part.key == "execution")) {
      return json_.members(part.value,
                           [&](const JsonMember& inner) { return read_part(inner, false); });
    }
    if (part.key == "tasks" || part.key == "jobs") {
      return json_.elements(part.value, [&](JsonValue task) { return read_task(task); });
    }
    if (part.key == "makespanInSeconds" || part.key == "makespan") {
      return json_.amount(part.value, makespan_);
    }
    if (part.key == "machines") {
      return json_.elements(part.value, [&](JsonValue machine) { return read_machine(machine); });
    }
    return true;
  }

  bool read_machine(JsonValue machine) {
    return json_.members(machine, [&](const JsonMember& member) {
      if (member.key != "cpu") return true;
      JsonObject cpu;  // some files have a text here
      if (member.value.get(cpu)) return true;
      return json_.each(cpu, [&](const JsonMember& part) {
        double count = 0;
        if ((part.key == "coreCount" || part.key == "count") && !part.value.get(count)) {
          cores_ += count;
        }
        return true;
      });
    });
  }

  bool read_task(JsonValue value) {
    std::string_view id, name;
    double time = std::nan("");
    std::vector<Link> links;
    const bool good = json_.members(value, [&](const JsonMember& member) {
      if (member.key == "id") return json_.text(member.value, id);
      if (member.key == "name") return json_.text(member.value, name);
      if (member.key == "runtimeInSeconds" || member.key == "runtime") {
        return json_.amount(member.value, time);
      }
      if (member.key == "coreCount" || member.key == "cores") {
        double count = 0;
        if (!member.value.get(count) && count > 1) ++wide_;
        return true;
      }
      if (member.key != "parents" && member.key != "children") return true;
      const bool parent = member.key == "parents";
      return json_.elements(member.value, [&](JsonValue other) {
        links.push_back({{}, 0, parent});
        return json_.text(other, links.back().name);
      });
    });
    if (!good) return false;
    if (id.empty()) id = name;
    if (id.empty()) return json_.refuse(value, "expected a task with an id or a name");
    const std::uint32_t task = tasks_.task(id);
    if (!name.empty()) by_name_.emplace_back(name, task);
    if (!std::isnan(time) && !tasks_.set_time(task, time)) {
      return json_.refuse(value, fmt::format("task '{}' has two times", printable(id)));
    }
    for (Link& link : links) {
      link.task = task;
      links_.push_back(link);
    }
    return true;
  }

  /// Others are named by their ids or, in old files, by their names.
  std::uint32_t number_of(std::string_view name) {
    if (const std::uint32_t task = tasks_.find(name); task != NameTable::kNone) return task;
    if (names_.size() == 0) {
      for (const auto& [each, task] : by_name_) {
        const std::uint32_t place = names_.number(each);
        if (place == task_of_name_.size()) task_of_name_.push_back(task);
      }
    }
    const std::uint32_t place = names_.find(name);
    return place == NameTable::kNone ? place : task_of_name_[place];
  }

  Result<TaskGraph> finish() {
    std::vector<std::uint64_t> edges;  // "parents" and "children" say the same twice
    for (const Link& link : links_) {
      const std::uint32_t other = number_of(link.name);
      if (other == NameTable::kNone) {
        return fail(
            {.where = printable(source_.name),
             .message = fmt::format("task '{}' names '{}', which is no task",
                                    printable(tasks_.name(link.task)), printable(link.name))});
      }
      const std::uint64_t from = link.parent ? other : link.task;
      const std::uint64_t to = link.parent ? link.task : other;
      edges.push_back((from << 32U) | to);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const std::uint64_t edge : edges) {
      tasks_.add_edge(static_cast<std::uint32_t>(edge >> 32U), static_cast<std::uint32_t>(edge));
    }
    std::size_t untimed = 0;
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
      if (!tasks_.has_time(task)) ++untimed;
    }
    const bool timed = untimed < tasks_.size();
    TaskGraph graph = tasks_.finish(timed ? 0 : 1);
    graph.timed = graph.seconds = timed;
    if (makespan_ > 0) graph.record.makespan = makespan_;
    if (makespan_ > 0 && cores_ >= 1 && cores_ < 1e6) {
      graph.record.workers = static_cast<int>(cores_);
    }
    if (!timed) {
      graph.record = {};
      graph.notes.emplace_back("no task has a runtime: every task counts 1 (--times FILE)");
    } else if (untimed > 0) {
      graph.notes.push_back(
          fmt::format("without a runtime, counted as 0: {} of {} tasks", untimed, graph.size()));
      doubt_missing_times(graph, untimed, graph.size());
    }
    if (wide_ > 0) {
      graph.notes.push_back(fmt::format(
          "{} used several cores: K counts tasks at a time, not cores", count_text(wide_, "task")));
      graph.wide = true;
    }
    return graph;
  }

  const Source& source_;
  JsonWalk json_;
  GraphBuilder tasks_;
  std::vector<Link> links_;
  std::vector<std::pair<std::string_view, std::uint32_t>> by_name_;
  NameTable names_;
  std::vector<std::uint32_t> task_of_name_;
  bool found_ = false;
  double makespan_ = 0, cores_ = 0;
  std::size_t wide_ = 0;
};

}  // namespace

Result<TaskGraph> read_wfcommons(const Source& source, const GraphReadOptions&) {
  return WfReader(source).read();
}

}  // namespace kstar::dag
