#include "import/mlperf/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"
#include "import/input.h"
#include "import/join.h"

namespace kstar {

namespace {

using Results = std::vector<MlperfResult>;

/// The one value that all of them have; nothing where they differ or none has it.
template <typename Get>
auto same_in_all(const Results& results, int workers, Get get) {
  decltype(get(results[0])) first{};
  bool differ = false;
  for (const MlperfResult& result : results) {
    if (result.run.workers != workers || get(result) == decltype(first){}) continue;
    if (first == decltype(first){}) first = get(result);
    differ = differ || get(result) != first;
  }
  return differ ? decltype(first){} : first;
}

std::set<int> workers_in(const Results& results) {
  std::set<int> workers;
  for (const MlperfResult& result : results) workers.insert(result.run.workers);
  return workers;
}

class SeriesStudy {
 public:
  explicit SeriesStudy(MlperfSeries series) : series_(std::move(series)) {}

  Study make() {
    study_.name = name_of(series_);
    study_.header.writer = "kstar " KSTAR_VERSION;
    study_.header.title = "MLPerf Training " + printable(name_of(series_));
    describe();
    set_workload();
    note_systems();
    note_logs();
    note_scores();
    for (MlperfResult& result : series_.results) study_.runs.push_back(std::move(result.run));
    return std::move(study_);
  }

 private:
  void note(Severity severity, std::string_view what, std::string where, NoteValues values) {
    add_note(study_, severity, what, std::move(where), std::move(values));
  }

  void describe() {
    study_.header.protocol.setup = "everything before run_start";
    study_.header.protocol.setup_method = "run_start and run_stop in the log";
    Host host = series_.host;
    if (!series_.accelerator.empty()) host.accelerators = {series_.accelerator};
    study_.header.environment.hosts.push_back(std::move(host));
    if (!series_.framework.empty()) {
      study_.header.environment.versions["framework"] = series_.framework;
    }
    study_.header.mlperf = {.round = series_.round,
                            .division = series_.division,
                            .submitter = series_.submitter,
                            .benchmark = series_.benchmark,
                            .accelerator = series_.accelerator};
    study_.header.source.kind = SourceKind::kImported;
    study_.header.source.format = "mlperf";
    note(Severity::kInfo, "imported", {}, {{"format", "mlperf"}, {"logs", series_.results.size()}});
  }

  void set_workload() {
    std::vector<Workload> problems;
    bool unclear = false;
    for (const int workers : workers_in(series_.results)) {
      const auto batch = same_in_all(series_.results, workers,
                                     [](const MlperfResult& result) { return result.batch; });
      const auto unit = same_in_all(series_.results, workers,
                                    [](const MlperfResult& result) { return result.work_unit; });
      problems.push_back({.workers = workers,
                          .unit = unit,
                          .batch = batch,
                          .stopping = stopping_of(series_.benchmark)});
      unclear = unclear || !batch;
      if (!unit.empty()) continue;
      // Of work in different units no number says anything.
      for (MlperfResult& result : series_.results) {
        if (result.run.workers == workers) result.run.work.reset();
      }
    }
    const bool one_batch =
        std::all_of(problems.begin(), problems.end(),
                    [&](const Workload& problem) { return problem.batch == problems[0].batch; });
    study_.header.workload = workload_list(std::move(problems));
    if (!unclear) study_.header.regime = one_batch ? Regime::kStrong : Regime::kMixed;
    if (unclear) {
      note(Severity::kWarning, "batch", {}, {});
    } else if (!one_batch) {
      note(Severity::kInfo, "batch", {}, {{"batches", study_.header.workload.size()}});
    }
  }

  void note_systems() {
    std::map<int, std::set<std::string>> systems;
    for (const MlperfResult& result : series_.results) {
      systems[result.run.workers].insert(result.system);
    }
    for (const auto& [workers, names] : systems) {
      if (names.size() < 2) continue;
      note(Severity::kWarning, "systems", fmt::format("K = {}", workers),
           {{"count", names.size()},
            {"systems", shorten(printable(fmt::format("{}", fmt::join(names, ", "))), 300)}});
    }
  }

  void note_logs() {
    for (const MlperfResult& result : series_.results) {
      const std::string where = printable(result.path);
      if (!result.run.failure.empty()) {
        note(Severity::kWarning, "run-failed", where, {{"reason", result.run.failure.str()}});
      }
      if (result.broken > 0) {
        note(Severity::kWarning, "skipped", where, {{"lines", result.broken}});
      }
      if (result.starts > 1 || result.stops > 1) {
        note(Severity::kWarning, "guessed", where,
             {{"starts", result.starts}, {"stops", result.stops}});
      }
    }
  }

  void note_scores() {
    std::map<std::string, std::pair<std::vector<double>, std::size_t>> systems;
    std::map<std::string, int> workers;
    for (const MlperfResult& result : series_.results) {
      auto& [times, failures] = systems[result.system];
      workers[result.system] = result.run.workers;
      counts(result.run) ? times.push_back(*result.run.wall) : void(++failures);
    }
    for (const auto& [system, runs] : systems) {
      const auto score = mlperf_score(runs.first, runs.second, series_.benchmark);
      if (!score) continue;
      const auto place = series_.scaling.find(system);
      const double factor = place == series_.scaling.end() ? 1 : place->second;
      NoteValues values{{"workers", workers[system]}, {"score", *score * factor}};
      if (factor != 1) values["scaling"] = factor;
      note(Severity::kInfo, "mlperf-score", printable(system), std::move(values));
    }
  }

  MlperfSeries series_;
  Study study_;
};

}  // namespace

std::string name_of(const MlperfSeries& series) {
  std::string name;
  for (const std::string* part : {&series.round, &series.division, &series.submitter,
                                  &series.benchmark, &series.accelerator}) {
    if (!part->empty()) name += (name.empty() ? "" : " ") + *part;
  }
  return name;
}

std::string stopping_of(std::string_view benchmark) {
  if (benchmark.empty()) return "when the benchmark's quality is reached";
  return fmt::format("when the quality of {} is reached", printable(benchmark));
}

std::optional<double> mlperf_score(std::vector<double> times, std::size_t failures,
                                   std::string_view benchmark) {
  const std::size_t dropped = benchmark == "unet3d" ? 4 : 1;
  if (failures > dropped || times.size() + failures <= 2 * dropped) return std::nullopt;
  std::sort(times.begin(), times.end());
  const auto begin = times.begin() + static_cast<std::ptrdiff_t>(dropped);
  const auto end = times.end() - static_cast<std::ptrdiff_t>(dropped - failures);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

Study study_of(MlperfSeries series) {
  return SeriesStudy(std::move(series)).make();
}

}  // namespace kstar
