#include <fmt/format.h>

#include "base/number.h"
#include "kstar/dag_report.h"
#include "report/csv.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kDagSchema = 1;

Json to_json(const SchedulePoint& point) {
  return {{"workers", point.workers},
          {"time", point.time},
          {"least", point.least},
          {"most", point.most},
          {"speedup", point.speedup},
          {"efficiency", point.efficiency},
          {"best", point.best},
          {"in_recorded_order", point.in_order},
          {"measured", kstar::to_json(point.measured)}};
}

Json to_json(const WorkersChoice& choice) {
  return {{"workers", choice.workers},   {"low", choice.low},
          {"high", choice.high},         {"exact", choice.exact},
          {"at", to_json(choice.point)}, {"twice", to_json(choice.twice)}};
}

Json to_json(const RecordedStanding& run) {
  return {{"tasks", run.tasks},
          {"work", run.work},
          {"makespan", run.makespan},
          {"workers", run.workers > 0 ? Json(run.workers) : Json()},
          {"used", run.workers > 0 ? Json(run.used) : Json()},
          {"schedule", run.schedule},
          {"least", run.least},
          {"broken_edges", run.broken}};
}

Json to_json(const AlgorithmFacts& facts) {
  return {{"name", facts.name},   {"n", facts.n},       {"work", facts.work},
          {"depth", facts.depth}, {"unit", facts.unit}, {"source", facts.source}};
}

Json to_json(const PoolLimit& pool) {
  return {{"name", pool.name},
          {"depth", pool.depth},
          {"tasks", pool.tasks},
          {"work", pool.work},
          {"twice_as_deep", optional_of(pool.twice_as_deep, [](const WorkersChoice& choice) {
             return to_json(choice);
           })}};
}

Json path_json(const DagAnalysis& analysis) {
  Json path = Json::array();
  for (const PathTask& task : analysis.path) {
    path.push_back(
        {{"task", analysis.names[task.task]}, {"start", task.start}, {"time", task.time}});
  }
  return path;
}

Json changes_json(const DagAnalysis& analysis) {
  Json changes = Json::array();
  for (const TaskChange& change : analysis.changes) {
    changes.push_back({{"task", analysis.names[change.task]},
                       {"time", change.time},
                       {"depth_if_split", change.depth_if_split},
                       {"depth_if_dropped", change.depth_if_dropped},
                       {"time_if_split", change.time_if_split},
                       {"time_if_dropped", change.time_if_dropped}});
  }
  return changes;
}

/// What takes no time in a build is a name for others, or was not run.
bool is_only_name(std::string_view format, double time) {
  return time == 0 && format == "ninja";
}

Json widths_json(const DagAnalysis& analysis) {
  Json widths = Json::array();
  for (const WidthCurve& curve : analysis.widths) {
    Json steps = Json::array();
    for (const WidthStep& step : curve.steps) {
      steps.push_back({{"time", step.time}, {"width", step.width}});
    }
    widths.push_back({{"name", curve.name}, {"steps", std::move(steps)}});
  }
  return widths;
}

}  // namespace

std::string to_json(const DagAnalysis& analysis) {
  const Json json = {
      {"kstar", "dag"},
      {"schema", kDagSchema},
      {"title", analysis.title},
      {"format", analysis.format},
      {"time_unit", analysis.seconds ? "s" : "unit"},
      {"has_times", analysis.timed},
      {"has_dependencies", analysis.ordered},
      {"has_costs", analysis.has_costs},
      {"has_pools", analysis.has_pools},
      {"priority", name_of(analysis.options.priority)},
      {"threshold", analysis.options.threshold},
      {"cores", analysis.options.cores},
      {"cores_assumed", analysis.options.assumed_cores},
      {"tasks", analysis.tasks},
      {"tasks_of_no_time", analysis.no_time},
      {"edges", analysis.edges},
      {"work", analysis.work},
      {"depth", analysis.depth},
      {"depth_in_recorded_order", analysis.depth_most},
      {"parallelism", analysis.parallelism},
      {"least", analysis.least},
      {"width", analysis.width},
      {"path_cost", analysis.path_cost},
      {"points", list_of(analysis.points, to_json)},
      {"undecided", analysis.undecided.empty() ? Json() : Json(analysis.undecided)},
      {"choice", analysis.undecided.empty() ? to_json(analysis.choice) : Json()},
      {"choice_in_recorded_order",
       analysis.undecided.empty() ? optional_of(analysis.choice_in_order, to_json) : Json()},
      {"choice_if_cached",
       analysis.undecided.empty() ? optional_of(analysis.choice_cached, to_json) : Json()},
      {"condition", analysis.condition.empty() ? Json() : Json(analysis.condition)},
      {"fastest", to_json(analysis.fastest)},
      {"critical_path", path_json(analysis)},
      {"changes", changes_json(analysis)},
      {"pool", optional_of(analysis.pool, [](const PoolLimit& pool) { return to_json(pool); })},
      {"recorded", optional_of(analysis.recorded, to_json)},
      {"algorithm", optional_of(analysis.algorithm, to_json)},
      {"widths", widths_json(analysis)},
      {"facts", analysis.facts},
      {"notes", analysis.notes}};
  return file_text(json);
}

std::string to_csv(const DagAnalysis& analysis) {
  std::string text = "K,time,least,most,speedup,efficiency,best,measured\n";
  for (const SchedulePoint& point : analysis.points) {
    text +=
        fmt::format("{},{},{},{},{},{},{},{}\n", shortest(point.workers), csv_number(point.time),
                    csv_number(point.least), csv_number(point.most), csv_number(point.speedup),
                    csv_number(point.efficiency), point.best ? csv_number(*point.best) : "",
                    point.measured ? csv_number(point.measured->point) : "");
  }
  return text;
}

std::string tasks_csv(const DagAnalysis& analysis) {
  std::vector<bool> on_path(analysis.names.size());
  for (const PathTask& task : analysis.path) on_path[task.task] = true;
  std::string text = "task,time,earliest_start,slack,on_critical_path\n";
  for (std::size_t i = 0; i < analysis.names.size(); ++i) {
    if (is_only_name(analysis.format, analysis.times[i])) continue;
    text += fmt::format("{},{},{},{},{}\n", csv_cell(analysis.names[i]),
                        csv_number(analysis.times[i]), csv_number(analysis.earliest[i]),
                        csv_number(analysis.slack[i]), on_path[i] ? 1 : 0);
  }
  return text;
}

std::string schedule_csv(const TaskGraph& graph, std::span<const TaskPlacement> placed) {
  std::string text = "task,worker,start,end\n";
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (is_only_name(graph.format, graph.times[i])) continue;
    text += fmt::format("{},{},{},{}\n", csv_cell(graph.names[i]),
                        graph.times[i] > 0 ? fmt::format("{}", placed[i].worker) : "",
                        csv_number(placed[i].start), csv_number(placed[i].start + graph.times[i]));
  }
  return text;
}

}  // namespace kstar
