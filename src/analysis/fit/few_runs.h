#pragma once

#include <map>

#include "analysis/table/samples.h"

namespace kstar {

/// T(K) where a K has one run or two. Two runs say nearly nothing about their own scatter; the runs
/// at all K together say how runs differ, and the steps inside of a run how well it knows its own
/// mean. Empty where every K has three runs, or all together have fewer than three to spare.
std::map<SampleKey, Estimate> estimate_few_runs(const Study& study, const SampleGroups& groups,
                                                double confidence, Scope scope);

}  // namespace kstar
