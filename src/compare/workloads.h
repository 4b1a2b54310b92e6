#pragma once

#include <set>
#include <string>

#include "compare/differences.h"
#include "compare/side.h"

namespace kstar::comparing {

/// Whether both studies solved the same problem. The choices of the build or the software that
/// their workloads hold may differ: they are said, and their names given back.
std::set<std::string> compare_workloads(const Side& before, const Side& after, Differences& found);

}  // namespace kstar::comparing
