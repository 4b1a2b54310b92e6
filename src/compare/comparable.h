#pragma once

#include "compare/differences.h"
#include "compare/side.h"

/// Whether two studies differ in what was changed alone.
namespace kstar::comparing {

/// What else than the program differs, at the K compared. The hardware, the workload, the regime
/// that S and E are computed in and what is timed must be the same; a host's name, versions,
/// settings of the build or the software, variables and binding may differ, and it is said.
Differences differences(const Side& before, const Side& after);

}  // namespace kstar::comparing
