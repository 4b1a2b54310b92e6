#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/inside_layout.h"

/// Waiting in blocking collectives, told apart from transfer by when the others arrived.
///
/// The members of a communicator make the same collectives in the same order: the n-th of one is
/// the n-th of all. With enter_j the arrival of member j, all on one clock, member i waits
///   everyone for the last (Allreduce):   max_j enter_j - enter_i
///   everyone for the root (Bcast):       enter_root - enter_i
///   the root for the last (Reduce):      max_j enter_j - enter_root, others not
///   for those before (Scan):             max_{j < i} enter_j - enter_i
/// not less than 0 and not more than it was in the call.
///
/// Clocks. Where members have different ones, the offset d of clock D from the reference R is known
/// in two ways: by the clocks' distance from true time, as the kernel bounds it, and because no
/// member can leave a collective of the first kind before all have entered it:
///   max enter_D - min leave_R <= d <= min leave_D - max enter_R.
/// The intersection, taken anew every kSegment collectives because clocks drift, has a middle and a
/// half-width: the offset and its error. Nothing is claimed when the errors add up to more than a
/// tenth of the time in the collectives.
namespace kstar {

/// One member's part of a communicator's log.
struct MemberLog {
  std::uint64_t clock = 0;   ///< names its CLOCK_MONOTONIC
  std::uint64_t kernel = 0;  ///< names its CLOCK_REALTIME
  inside::RealTime at_init{};
  inside::RealTime at_finalize{};
  std::uint64_t init = 0;
  std::uint64_t finalize = 0;             ///< 0: it has no at_finalize
  std::vector<inside::LogEntry> entries;  ///< of this communicator, in any order
};

/// How a call waits; `sync` of calls that the log never holds does not matter.
using SyncOf = std::vector<inside::Sync>;

struct CollectiveWaits {
  /// By call: seconds that a member waited in the collectives that all members have in their logs,
  /// and how many these are.
  struct Sum {
    double seconds = 0;
    std::uint64_t matched = 0;
  };
  std::vector<std::map<std::uint16_t, Sum>> members;  ///< in the order given
  std::optional<double> clock_error;  ///< the largest, in seconds; absent: one clock
  std::string problem;                ///< why nothing is known; "" when it is
};

/// All members, by their rank in the communicator. The calls have the same numbers in all their
/// entries.
CollectiveWaits waits_of(std::span<const MemberLog> members, const SyncOf& sync_of);

inline constexpr std::size_t kSegment = 64;

}  // namespace kstar
