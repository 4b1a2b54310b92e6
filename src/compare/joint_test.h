#pragma once

#include <optional>
#include <vector>

#include "compare/side.h"
#include "kstar/compare.h"

/// What all K say together: a change that no K shows alone may be plain in all of them.
namespace kstar::comparing {

/// T of a typical run after over before: at each K the location of log T (Huber, k = 1.5, its scale
/// pooled over all K of both sides), so that a slow run does not hide a change. Two tests, each
/// with half of the error: all K together, and each K alone (Holm).
///
/// Runs of one place in the order share the conditions of a block: the error of all K together
/// comes from sums over blocks where these differ more than independent runs would. Correlation
/// between a K's runs (AR(1), by residual likelihood on a grid, half a standard deviation more
/// than its posterior mean) widens both.
///
/// Nothing where the runs do not show their noise: fewer than four degrees of freedom, or runs that
/// are equal.
struct JointTest {
  JointChange all;
  std::vector<RatioChange> at;  ///< each K, in their order; corrected by Holm, and doubled
};

std::optional<JointTest> joint_test(const Times& before, const Times& after, double confidence);

/// Whether one side has more runs far above the typical one (Fisher's exact test).
std::optional<SlowRuns> slow_runs(const Times& before, const Times& after);

}  // namespace kstar::comparing
