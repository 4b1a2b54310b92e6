#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

#include "base/base64.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/json_walk.h"
#include "dag/read/sessions.h"

// .snakemake/metadata of a workflow's folder: one JSON file per output, whose name is the output's
// in base64 (cut into folders that begin with @ where it is long):
//   {"rule": "sort", "input": ["raw/a.txt"], "shellcmd": "...", "starttime": 1794889602.2,
//    "endtime": 1794889603.1, "job_hash": 8775641379917, "incomplete": false}
namespace kstar::dag {

namespace {

namespace fs = std::filesystem;

struct Metadata {
  std::string output;
  std::string rule, command, job;
  std::vector<std::string> inputs;
  double start = std::nan(""), end = std::nan("");
  bool incomplete = false;
};

Result<Metadata> read_metadata(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{64} << 20U;
  KSTAR_TRY(const FileText text, read_regular_file(path, kLargest));
  const Source source{text.view(), path};
  JsonWalk json(source);
  JsonObject root;
  Metadata found;
  const auto keep = [&](const JsonMember& member, std::string& into) {
    std::string_view value;
    if (!member.value.get(value)) into = value;
    return true;
  };
  const bool good = json.start(root) && json.each(root, [&](const JsonMember& member) {
    if (member.key == "rule") return keep(member, found.rule);
    if (member.key == "shellcmd") return keep(member, found.command);
    if (member.key == "starttime") return !member.value.get(found.start) || true;
    if (member.key == "endtime") return !member.value.get(found.end) || true;
    if (member.key == "incomplete") return !member.value.get(found.incomplete) || true;
    if (member.key == "job_hash") {
      found.job = trim(member.value.token().substr(0, member.value.token().find_first_of(",}")));
      return true;
    }
    if (member.key != "input") return true;
    return json.elements(member.value, [&](JsonValue input) {
      std::string_view name;
      if (!json.text(input, name)) return false;
      found.inputs.emplace_back(name);
      return true;
    });
  });
  if (!good) return fail(json.take_error());
  return found;
}

/// The output that a file of metadata is about; nothing where its name is none of Snakemake's.
std::optional<std::string> output_of(const fs::path& relative) {
  std::string encoded;
  for (const fs::path& part : relative) {
    const std::string name = part.string();
    encoded += name.starts_with('@') ? name.substr(1) : name;
  }
  std::replace(encoded.begin(), encoded.end(), '-', '+');  // Snakemake's is safe for URLs
  std::replace(encoded.begin(), encoded.end(), '_', '/');
  return from_base64(encoded);
}

class SnakemakeReader {
 public:
  explicit SnakemakeReader(const std::string& path) : path_(path) {}

  Result<TaskGraph> read() {
    const fs::path folder = fs::path(path_) / ".snakemake" / "metadata";
    std::error_code error;
    std::set<fs::path> files;  // in the same order everywhere
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_regular_file(error)) files.insert(entry->path());
    }
    if (error) {
      return fail(
          {.where = printable(folder.string()), .message = "cannot read: " + error.message()});
    }
    for (const fs::path& file : files) {
      const std::optional<std::string> output = output_of(file.lexically_relative(folder));
      if (!output) continue;
      KSTAR_TRY(Metadata data, read_metadata(file.string()));
      data.output = *output;
      add(std::move(data));
    }
    return finish();
  }

 private:
  struct Job {
    std::string name;
    double start, end;
    std::set<std::string> inputs;
  };

  /// Outputs of one job have the same rule and hash (or, without one, the same command).
  void add(Metadata data) {
    if (data.incomplete || !(data.end >= data.start)) {
      ++untimed_;
      return;
    }
    const std::string key = data.rule + '\n' + (data.job.empty() ? data.command : data.job);
    const auto [place, is_new] = job_of_key_.try_emplace(key, jobs_.size());
    std::size_t number = place->second;
    const bool together =
        !is_new && data.start < jobs_[number].end && data.end > jobs_[number].start;
    if (is_new || !together) {
      number = place->second = jobs_.size();
      jobs_.push_back({fmt::format("{}: {}", data.rule, data.output), data.start, data.end, {}});
    }
    Job& job = jobs_[number];
    job.start = std::min(job.start, data.start);
    job.end = std::max(job.end, data.end);
    job.inputs.insert(data.inputs.begin(), data.inputs.end());
    job_of_output_[data.output] = number;
  }

  Result<TaskGraph> finish() {
    if (jobs_.empty()) {
      return fail({.where = printable(path_),
                   .message = "no job of Snakemake has a start and an end in .snakemake/metadata"});
    }
    TaskGraph graph;
    std::vector<Edge> edges;
    for (std::uint32_t task = 0; task < jobs_.size(); ++task) {
      const Job& job = jobs_[task];
      graph.names.push_back(job.name);
      graph.times.push_back(job.end - job.start);
      for (const std::string& input : job.inputs) {
        const auto before = job_of_output_.find(input);
        if (before != job_of_output_.end() && before->second != task) {
          edges.push_back({static_cast<std::uint32_t>(before->second), task});
        }
      }
    }
    set_edges(graph, edges);
    graph.wide = true;
    graph.notes.emplace_back(
        "threads of the rules are not in the metadata: K counts jobs at a time, not cores");
    if (untimed_ > 0) {
      graph.notes.push_back(
          fmt::format("{} without a complete job, left out", count_text(untimed_, "output")));
    }
    std::vector<TimedTask> timed;
    for (std::uint32_t task = 0; task < jobs_.size(); ++task) {
      timed.push_back({task, jobs_[task].start, jobs_[task].end});
    }
    set_record(graph, timed, sessions_by_gaps(timed), "run");
    return graph;
  }

  const std::string& path_;
  std::deque<Job> jobs_;
  std::map<std::string, std::size_t> job_of_key_, job_of_output_;
  std::size_t untimed_ = 0;
};

}  // namespace

Result<TaskGraph> read_snakemake_folder(const std::string& path) {
  return SnakemakeReader(path).read();
}

}  // namespace kstar::dag
