#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "kstar/trace.h"

namespace kstar {

namespace {

/// Sums over the steps. Communication is what no compute covers: what is hidden costs no time;
/// waiting is not part of it.
PerWorker workers_of(const TraceAnalysis& analysis) {
  PerWorker workers;
  for (std::size_t rank = 0; rank < analysis.ranks.size(); ++rank) {
    double compute = 0, communicate = 0, wait = 0;
    for (const std::vector<TraceTimes>& step : analysis.by_step) {
      compute += step[rank].compute;
      communicate += analysis.split ? step[rank].exposed_transfer : step[rank].exposed;
      wait += step[rank].exposed_waiting;
    }
    workers.compute.push_back(compute);
    workers.communicate.push_back(communicate);
    if (analysis.split) workers.wait.push_back(wait);
  }
  return workers;
}

/// A step of the job takes as long as on its slowest rank.
Run run_of_trace(const TraceAnalysis& analysis, int order) {
  Run run;
  run.workers =
      static_cast<int>(std::min<std::int64_t>(analysis.workers, std::numeric_limits<int>::max()));
  run.order = order;
  for (const std::vector<TraceTimes>& step : analysis.by_step) {
    double longest = 0;
    for (const TraceTimes& rank : step) longest = std::max(longest, rank.step);
    run.steps.push_back(longest);
  }
  if (static_cast<std::int64_t>(analysis.ranks.size()) == analysis.workers) {
    run.per_worker.emplace() = workers_of(analysis);
  }
  return run;
}

}  // namespace

Study to_study(std::span<const TraceAnalysis> analyses) {
  Study study;
  study.header.writer = "kstar " KSTAR_VERSION;
  study.header.title = "steps read off profiler traces";
  study.header.time = TimeKind::kStep;
  study.header.source.kind = SourceKind::kImported;
  study.header.source.format = "trace";
  study.header.protocol.setup = "everything outside the steps";
  study.header.protocol.setup_method = "the steps of the profile";
  int order = 0;
  for (const TraceAnalysis& analysis : analyses) {
    study.runs.push_back(run_of_trace(analysis, order++));
    for (const TraceRank& rank : analysis.ranks) {
      if (study.header.source.files.empty() || study.header.source.files.back() != rank.file) {
        study.header.source.files.push_back(rank.file);
      }
    }
    for (const std::string& note : analysis.notes) {
      Note said;
      said.severity = Severity::kInfo;
      said.what = "trace";
      said.where = fmt::format("K = {}", analysis.workers);
      said.text = note;
      study.notes.push_back(std::move(said));
    }
  }
  return study;
}

}  // namespace kstar
