#include <fmt/format.h>

#include <limits>

#include "base/text.h"
#include "kstar/dag.h"

namespace kstar {

Study greedy_study(const DagAnalysis& analysis, std::vector<std::string> command) {
  Study study;
  StudyHeader& header = study.header;
  header.writer = "kstar " KSTAR_VERSION;
  header.title = fmt::format("greedy schedules of {}", analysis.title);
  header.command = std::move(command);
  header.launcher = "greedy schedule";
  header.regime = Regime::kStrong;
  header.workload.push_back({.size = static_cast<double>(analysis.tasks), .unit = "tasks"});
  header.baseline.kind = BaselineKind::kParallelWithOne;
  header.baseline.text = "all tasks one after the other";
  header.protocol.setup = "none";
  header.protocol.setup_method = "a schedule has no setup";
  header.protocol.warm_up_runs = 0;
  header.protocol.runs = 1;
  header.source.kind = SourceKind::kSimulated;
  if (!analysis.seconds) header.time = TimeKind::kSpeedup;  // in no known unit: parts of T(1)
  for (const SchedulePoint& point : analysis.points) {
    if (point.workers > std::numeric_limits<int>::max()) continue;
    Run run;
    run.workers = static_cast<int>(point.workers);
    run.wall = analysis.seconds ? point.time : 1 / point.speedup;
    run.exit_status = 0;
    study.runs.push_back(std::move(run));
  }
  study.notes.push_back({.severity = Severity::kInfo,
                         .what = "scheduled",
                         .where = "",
                         .values = {{"tasks", analysis.tasks},
                                    {"work", analysis.work},
                                    {"depth", analysis.depth},
                                    {"priority", name_of(analysis.options.priority)}}});
  if (!analysis.condition.empty()) study.notes.back().values["if"] = analysis.condition;
  return study;
}

}  // namespace kstar
