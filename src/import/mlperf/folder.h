#pragma once

#include "kstar/import.h"

namespace kstar {

/// The studies under a folder of MLPerf results (SUBMITTER/results/SYSTEM/BENCHMARK/result_0.txt,
/// K from SUBMITTER/systems/SYSTEM.json), one per series, by name. Logs are read in parallel.
Result<std::vector<Study>> read_mlperf_folder(const std::string& folder,
                                              const ImportOptions& options);

}  // namespace kstar
