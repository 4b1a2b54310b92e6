#pragma once

#include <string>
#include <utility>
#include <vector>

#include "import/input.h"
#include "kstar/import.h"

namespace kstar {

// A Study keeps seconds. X units of work per second are 1/X seconds for one; where the work grows
// with K, K/X for K of them.

inline bool is_weak(const ImportOptions& options) {
  return options.regime == Regime::kWeak;
}

double seconds_of_rate(double rate, int workers, bool weak);

/// Says in the header what the seconds of rates are of: one unit of work, or one on each worker.
void say_work_of_rates(Study& study, bool weak, std::string_view unit);

// Runs of a file that may hold several series: a benchmark each, a region, a metric.

using Labels = std::vector<std::pair<std::string, std::string>>;  ///< name and value, in order

/// The most that one file may hold.
inline constexpr std::size_t kMostRuns = 1'000'000;

struct Sample {
  Labels labels;
  Run run;
};

/// Moves the runs that `select` asks for ("region=main,metric=time", or a value alone) into the
/// study. It is an error that there are none, or that runs of one K differ in a label. A label that
/// changes with K gets a note.
Result<void> take_series(const Input& input, std::vector<Sample> samples, std::string_view select,
                         Study& study);

}  // namespace kstar
