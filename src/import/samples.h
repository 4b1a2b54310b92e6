#pragma once

#include <string>
#include <utility>
#include <vector>

#include "import/input.h"
#include "kstar/import.h"

/// Runs of a file that may hold several series: a benchmark each, a region, a metric.
namespace kstar {

using Labels = std::vector<std::pair<std::string, std::string>>;  ///< name and value, in order

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
