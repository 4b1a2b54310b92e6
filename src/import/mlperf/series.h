#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/mlperf/log.h"
#include "import/mlperf/system.h"

/// A series of MLPerf results: one round, division, submitter, benchmark and accelerator, over K.
namespace kstar {

/// One result log, read.
struct MlperfResult {
  std::string path;
  std::string system;     ///< the folder's name
  std::string benchmark;  ///< likewise
  Run run;
  std::optional<double> batch;
  std::string work_unit;
  std::size_t broken = 0, starts = 0, stops = 0;
};

struct MlperfSeries {
  std::string round, division, submitter, benchmark, accelerator;
  std::string framework;
  Host host;
  std::vector<MlperfResult> results;
  std::map<std::string, double> scaling;  ///< of a system's scaling.json
};

/// "v4.0 closed Google gpt3 TPU-v5p"
std::string name_of(const MlperfSeries& series);

Study study_of(MlperfSeries series);

/// When a run of this benchmark ends. It is another problem than that of another benchmark.
std::string stopping_of(std::string_view benchmark);

/// The official score of one system's runs, in seconds: the mean without the fastest and the
/// slowest (four of each for unet3d), where a run that failed counts as one of the slowest. Nothing
/// where too many failed or none remains.
std::optional<double> mlperf_score(std::vector<double> times, std::size_t failures,
                                   std::string_view benchmark);

}  // namespace kstar
