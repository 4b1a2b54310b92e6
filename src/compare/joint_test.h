#pragma once

#include <optional>
#include <vector>

#include "compare/side.h"
#include "kstar/compare.h"

/// What all K say together: a change that no K shows alone may be plain in all of them.
namespace kstar::comparing {

/// T of a typical run after over before: at each K the location of log T (Huber, k = 1.5, its scale
/// pooled over all K of both sides whose noise is alike; then the mean of the runs that are no slow
/// ones), so that a slow run does not hide a change. Two tests share the error: all K together, and
/// each K alone (Holm).
///
/// Runs of one place in the order share the conditions of a block: the error of all K together is
/// averaged over what sums over blocks say of it. Correlation between a K's runs (AR(1), by
/// residual likelihood on a grid, somewhat more than its posterior mean) widens both.
///
/// Nothing where the runs do not show their noise: fewer than four degrees of freedom, or runs that
/// are equal.
struct JointTest {
  JointChange all;
  std::vector<RatioChange> at;  ///< each K, in their order; corrected by Holm, and doubled
};

/// Where runs of both sides were made in the same blocks, what these share is taken out of the
/// times: without_blocks() of compare/sessions.h.
struct BlocksTaken {
  bool common = false;  ///< both sides have the same blocks: what these share is no difference
  double degrees = 0;   ///< of freedom that taking it out cost
};

std::optional<JointTest> joint_test(const Times& before, const Times& after, double confidence,
                                    const BlocksTaken& taken = {});

/// Whether one side has more runs far above the typical one (Fisher's exact test).
struct SlowTest {
  SlowRuns all;
  std::vector<std::optional<SlowRuns>> at;  ///< each K; none where its noise is not known
};

/// A K whose runs vary otherwise is judged by its own noise: slow runs are what makes it so.
std::optional<SlowTest> slow_runs(const Times& before, const Times& after);

/// More runs on each side that would probably (4 of 5 times) show the shares of slow runs that were
/// seen to differ, where `compared` K are looked at. None where that takes too many.
std::optional<std::size_t> more_for_slow(const SlowRuns& seen, double confidence,
                                         std::size_t compared);

}  // namespace kstar::comparing
