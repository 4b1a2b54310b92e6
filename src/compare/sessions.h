#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compare/joint_test.h"
#include "compare/side.h"
#include "kstar/compare.h"

/// What a difference between sessions may be taken for a change of the program.
namespace kstar::comparing {

/// Whether the runs of both were made in the same blocks of the same sessions (`measure --against`
/// and `--parameter`), how many sessions each side has, and how much these differ.
SessionEvidence session_evidence(const Side& before, const Side& after,
                                 const std::vector<Study>& others);

/// The times of two studies that were measured interleaved, without what the runs of a block share:
/// a mean over its runs of both sides, as far as it is more than noise, which the difference of the
/// sides does not contain.
struct BlockFreeTimes {
  Times before, after;
  BlocksTaken taken;
};
BlockFreeTimes without_blocks(const Side& before, const Side& after);

/// Evidence of a change that sessions may have made becomes "change or session": all of it where
/// nothing is known of sessions; else what is no more than they were seen to do, by Student's t on
/// session means with as many degrees of freedom as sessions tell.
void doubt_sessions(const Side& before, const Side& after, const std::vector<Study>& others,
                    Comparison& comparison);

/// Each of CompareOptions::sessions_of must have several sessions, on the machine of the sides.
Result<void> check_sessions_of(const std::vector<Study>& others, const Side& before);

}  // namespace kstar::comparing
