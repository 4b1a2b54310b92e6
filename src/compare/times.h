#pragma once

#include <map>
#include <set>
#include <vector>

#include "kstar/result.h"
#include "kstar/stats.h"
#include "kstar/study.h"

/// The times of the parallel program, and their ratios between two studies.
namespace kstar::comparing {

/// Seconds of the runs that count, in the order they were made, by K.
using Times = std::map<int, std::vector<double>>;

Times times_of(const Study& study);

/// The K that both have.
std::set<int> common_workers(const Times& before, const Times& after);

/// The study without the runs and the workloads of other K: a bend, a base or a model of K that
/// only one side has is no change.
Study restricted(const Study& study, const std::set<int>& workers);

/// T after over T before at each K, in the order of K. Both hold the same K.
///
/// The noise of all K of a study is pooled (kstar/noise_pool.h) where half of them have four
/// runs or more: by their own runs alone, ratios of few correlated runs raise a false alarm in up
/// to a fifth of all comparisons. With fewer runs there is no correlation to see, and each K speaks
/// for itself.
Result<std::vector<Estimate>> time_ratios(const Times& before, const Times& after,
                                          double confidence, Scope before_scope, Scope after_scope);

}  // namespace kstar::comparing
