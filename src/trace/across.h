#pragma once

#include <cstdint>
#include <vector>

#include "trace/rank.h"

/// Ranks compared: which operations are the same collective, whose clock is ahead, who is last.
namespace kstar::tracing {

/// What the comparison says of one operation of one rank.
struct OperationSplit {
  std::int64_t waiting = 0;  ///< nanoseconds until the last rank came
  std::int32_t last = -1;    ///< the place of that rank in the list; -1: not matched
  std::int64_t last_operation = -1;
  std::int32_t partner = -1;  ///< of a message: the rank at its other side
  std::int64_t partner_operation = -1;
};

struct Comparison {
  std::vector<std::vector<OperationSplit>> operations;  ///< [rank][operation]
  std::vector<std::int64_t> clocks;                     ///< [rank]: ahead of the others by
  std::vector<std::size_t> last;                        ///< [rank]: in how many it came last
  std::size_t collectives = 0, matched = 0;             ///< on the rank with most; sets of several
  std::size_t doubtful = 0;  ///< sets whose ends do not agree: no collective of these ranks
  std::int64_t clock_error = 0;
  bool partial = false;  ///< groups have members without a trace
};

/// `step_of[rank][i]`: which of the common steps step i of a rank is; -1: none.
Comparison compare_ranks(const std::vector<RankSummary>& ranks,
                         const std::vector<std::vector<int>>& step_of);

/// The critical path of the step shown, over ranks.
TracePath critical_path(const std::vector<RankSummary>& ranks, const Comparison& comparison);

}  // namespace kstar::tracing
