#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/study.h"

/// A result log of MLPerf Training. Lines of interest hold a marker, whatever stands in front:
///   :::MLL 1560187569.059 run_start: {"value": null, "metadata": {...}}                (v0.6)
///   :::MLLOG {"time_ms": 1709183798090, "key": "run_start", "value": null, "metadata": {...}}
namespace kstar {

struct MlperfLog {
  std::optional<double> init_start, run_start, run_stop;  ///< milliseconds since 1970
  std::string status;                                     ///< as run_stop says
  std::string benchmark, division, submitter;             ///< as the log says; may be empty
  std::optional<double> batch;                            ///< global
  std::optional<double> work;   ///< until it converged, or until it was stopped
  std::string work_unit;        ///< samples, tokens or epochs
  std::optional<double> fixed;  ///< seconds without training, where known
  std::size_t events = 0;       ///< lines with a marker
  std::size_t broken = 0;       ///< of interest, but not to be read
  std::size_t starts = 0, stops = 0;
};

/// `text` has FileText::kPadding readable bytes behind it.
MlperfLog read_mlperf_log(std::string_view text);

/// The log as a run without K: its time to train, or why it has none.
Run run_of(const MlperfLog& log);

/// Also where lines begin with "MLPerf: ", as those of a submitter of v0.6 that have no marker:
/// such a log is refused with that reason, and not taken for a table.
bool has_mlperf_marker(std::string_view text);

}  // namespace kstar
