#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_workers.h"
#include "import/importer.h"
#include "import/mlperf/series.h"
#include "import/offers.h"

// One result log of MLPerf Training. Whole folders are read by folder.cc.
namespace kstar {

namespace {

bool sniff_mlperf(std::string_view start) {
  return has_mlperf_marker(start);
}

/// .../results/SYSTEM/BENCHMARK/result_0.txt has its system beside the results.
std::string system_path(std::string_view name) {
  const auto up = [](std::string_view path) { return path.substr(0, path.rfind('/')); };
  const std::string_view benchmark = up(name), system = up(benchmark), results = up(system);
  if (!results.ends_with("results") || system.size() <= results.size()) return {};
  return fmt::format("{}systems/{}.json", results.substr(0, results.size() - 7),
                     system.substr(results.size() + 1));
}

/// Of a log in its folder that is BENCHMARK, as in a folder that is read as a whole; else as the
/// log says.
std::string benchmark_of(std::string_view name, const MlperfLog& log) {
  if (system_path(name).empty()) return log.benchmark;
  const std::string_view folder = name.substr(0, name.rfind('/'));
  return std::string(folder.substr(folder.rfind('/') + 1));
}

Result<int> workers_of(const Input& input, const ImportOptions& options, Study& study) {
  const std::string path = system_path(input.name);
  if (!options.workers && options.worker_regex.empty() && !path.empty()) {
    const auto text = read_regular_file(path, kMostSystem);
    const auto system = text ? read_mlperf_system(text->view(), path) : fail(text.error());
    if (system && system->workers()) return *system->workers();
  }
  if (options.workers || !options.worker_regex.empty()) {
    return workers_of_file(input, options, study);
  }
  return fail(refusal(input, "an MLPerf result log does not give the number of accelerators",
                      {offer("k", "N", "for N accelerators")},
                      "or keep it in its folder with systems/SYSTEM.json"));
}

Result<Study> read_mlperf(const Input& input, const ImportOptions& options) {
  Study study = start_study(input.name);
  const MlperfLog log = read_mlperf_log(input.text);
  KSTAR_TRY(const auto workers, workers_of(input, options, study));
  Run run = run_of(log);
  run.workers = workers;
  const std::string benchmark = benchmark_of(input.name, log);
  study.header.workload.push_back({.unit = log.work ? log.work_unit : "",
                                   .batch = log.batch,
                                   .stopping = stopping_of(benchmark)});
  study.header.mlperf = {
      .round = {}, .division = log.division, .submitter = log.submitter, .benchmark = benchmark};
  if (!run.failure.empty()) {
    add_note(study, Severity::kWarning, "run-failed", printable(input.name),
             {{"reason", run.failure.str()}});
  }
  study.runs.push_back(std::move(run));
  return study;
}

}  // namespace

const Importer& mlperf_importer() {
  static const Importer kImporter = {
      {"mlperf", "an MLPerf Training result log, or a folder of them: one study per series"},
      &sniff_mlperf,
      &read_whole<read_mlperf>};
  return kImporter;
}

}  // namespace kstar
