#include "inside/waiting.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kstar {

using inside::LogEntry;
using inside::Sync;

namespace {

constexpr double kMostError = 0.1;         // of the time in the collectives
constexpr double kSameKernelError = 1e-6;  // two readings of one CLOCK_REALTIME

constexpr char kPoorClocks[] = "the clock offsets of its hosts are not known well enough";

/// One collective that all members have: the entry of each, in their order.
using Instance = std::vector<const LogEntry*>;

double signed_seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

/// `later` less `earlier`, in seconds; both are below 2^62.
double signed_between(std::uint64_t earlier, std::uint64_t later) {
  return signed_seconds(static_cast<std::int64_t>(later) - static_cast<std::int64_t>(earlier));
}

using Ordered = std::vector<std::pair<std::uint64_t, const LogEntry*>>;

Ordered by_sequence(const MemberLog& member) {
  Ordered ordered;
  ordered.reserve(member.entries.size());
  for (const LogEntry& entry : member.entries) ordered.emplace_back(entry.sequence, &entry);
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  // A program killed while its log was thinned out leaves some entries twice.
  ordered.erase(std::unique(ordered.begin(), ordered.end(),
                            [](const auto& a, const auto& b) { return a.first == b.first; }),
                ordered.end());
  return ordered;
}

/// The collectives that every member has, in order. Empty and `agree` false when members disagree
/// about what a collective was.
std::vector<Instance> match(std::span<const MemberLog> members, bool& agree) {
  std::vector<Ordered> logs;
  for (const MemberLog& member : members) logs.push_back(by_sequence(member));
  std::vector<Instance> matched;
  std::vector<std::size_t> at(logs.size(), 0);
  for (const auto& [sequence, first] : logs.front()) {
    Instance instance{first};
    for (std::size_t m = 1; m < logs.size(); ++m) {
      while (at[m] < logs[m].size() && logs[m][at[m]].first < sequence) ++at[m];
      if (at[m] == logs[m].size() || logs[m][at[m]].first != sequence) break;
      instance.push_back(logs[m][at[m]].second);
    }
    if (instance.size() != logs.size()) continue;
    for (const LogEntry* entry : instance) {
      if (entry->call != first->call || entry->root != first->root) agree = false;
    }
    matched.push_back(std::move(instance));
  }
  return matched;
}

/// What a clock may be ahead of the reference, in seconds.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  double middle() const { return low + (high - low) / 2; }
  double error() const { return (high - low) / 2; }
  bool known() const { return std::isfinite(low) && std::isfinite(high) && low <= high; }
  void narrow(double from, double to) {
    low = std::max(low, from);
    high = std::min(high, to);
  }
};

/// CLOCK_REALTIME less CLOCK_MONOTONIC of a member at `time` of the latter, in seconds, and its
/// error: signed_between MPI_Init and MPI_Finalize along a line.
struct RealOffset {
  double offset = 0;
  double error = 0;
};

RealOffset real_offset(const MemberLog& member, std::uint64_t time, std::int64_t base) {
  const auto error_of = [](const inside::RealTime& real) {
    return real.error == inside::kUnknownError ? std::numeric_limits<double>::infinity()
                                               : static_cast<double>(real.error) / 1e9;
  };
  RealOffset at{signed_seconds(member.at_init.offset - base), error_of(member.at_init)};
  if (member.finalize <= member.init) return at;
  const double share = std::clamp(
      signed_between(member.init, time) / signed_between(member.init, member.finalize), 0.0, 1.0);
  at.offset += share * signed_seconds(member.at_finalize.offset - member.at_init.offset);
  at.error = std::max(at.error, error_of(member.at_finalize));
  return at;
}

/// How far the clock of `one` is ahead of that of `reference`, as the real-time clocks have it.
void narrow_by_real_time(const MemberLog& reference, const MemberLog& one, const Instance& instance,
                         std::size_t reference_place, std::size_t place, Bounds& bounds) {
  const std::int64_t base = reference.at_init.offset;  // 1e18 ns are too many for a double
  const RealOffset theirs = real_offset(reference, instance[reference_place]->enter, base);
  const RealOffset ours = real_offset(one, instance[place]->enter, base);
  const double ahead = theirs.offset - ours.offset;
  const double error =
      reference.kernel == one.kernel ? kSameKernelError : theirs.error + ours.error;
  if (std::isfinite(error)) bounds.narrow(ahead - error, ahead + error);
}

/// The members of one clock.
struct Clock {
  std::uint64_t name = 0;
  std::vector<std::size_t> members;
};

std::vector<Clock> clocks_of(std::span<const MemberLog> members) {
  std::vector<Clock> clocks;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto known = std::find_if(clocks.begin(), clocks.end(), [&](const Clock& clock) {
      return clock.name == members[m].clock;
    });
    if (known != clocks.end()) {
      known->members.push_back(m);
    } else {
      clocks.push_back({members[m].clock, {m}});
    }
  }
  return clocks;
}

struct Crossing {
  std::uint64_t last_enter = 0;
  std::uint64_t first_leave = std::numeric_limits<std::uint64_t>::max();
};

Crossing crossing_of(const Instance& instance, const Clock& clock) {
  Crossing crossing;
  for (const std::size_t m : clock.members) {
    crossing.last_enter = std::max(crossing.last_enter, instance[m]->enter);
    crossing.first_leave = std::min(crossing.first_leave, instance[m]->leave);
  }
  return crossing;
}

Bounds bounds_of(std::span<const MemberLog> members, std::span<const Instance> segment,
                 const Clock& reference, const Clock& clock, const SyncOf& sync_of) {
  Bounds bounds;
  const std::size_t first = reference.members.front(), other = clock.members.front();
  for (const Instance& instance : segment) {
    narrow_by_real_time(members[first], members[other], instance, first, other, bounds);
    if (sync_of[instance.front()->call] != Sync::kAll) continue;
    const Crossing here = crossing_of(instance, reference), there = crossing_of(instance, clock);
    bounds.narrow(signed_between(here.first_leave, there.last_enter),
                  signed_between(here.last_enter, there.first_leave));
  }
  return bounds;
}

/// The moment until which each member cannot be done for want of another.
std::vector<double> held_until(const std::vector<double>& enter, int root, Sync sync) {
  std::vector<double> until = enter;
  const double last = *std::max_element(enter.begin(), enter.end());
  const bool has_root = root >= 0 && static_cast<std::size_t>(root) < enter.size();
  const auto root_place = static_cast<std::size_t>(has_root ? root : 0);
  if (sync == Sync::kAll) std::fill(until.begin(), until.end(), last);
  if (sync == Sync::kToRoot && has_root) until[root_place] = last;
  if (sync == Sync::kFromRoot && has_root) {
    for (double& one : until) one = std::max(one, enter[root_place]);
  }
  if (sync == Sync::kPrefix) {
    for (std::size_t m = 1; m < until.size(); ++m) until[m] = std::max(until[m], until[m - 1]);
  }
  return until;
}

/// Seconds that each member waited. `ahead` is how far its clock is ahead of the reference.
std::vector<double> waits_in(const Instance& instance, const std::vector<double>& ahead,
                             Sync sync) {
  const std::uint64_t origin = instance.front()->enter;
  std::vector<double> enter(instance.size());
  for (std::size_t m = 0; m < instance.size(); ++m) {
    enter[m] = signed_between(origin, instance[m]->enter) - ahead[m];
  }
  std::vector<double> waits = held_until(enter, instance.front()->root, sync);
  for (std::size_t m = 0; m < instance.size(); ++m) {
    const double inside = signed_between(instance[m]->enter, instance[m]->leave);
    waits[m] = std::clamp(waits[m] - enter[m], 0.0, inside);
  }
  return waits;
}

double mean_duration(const Instance& instance) {
  double sum = 0;
  for (const LogEntry* entry : instance) sum += signed_between(entry->enter, entry->leave);
  return sum / static_cast<double>(instance.size());
}

CollectiveWaits unknown(std::string problem) {
  return {.problem = std::move(problem)};
}

/// How far each member's clock is ahead of the first one's, over some collectives.
struct Alignment {
  std::vector<double> ahead;
  double error = 0;
  bool known = true;
};

Alignment align(std::span<const MemberLog> members, std::span<const Instance> segment,
                const std::vector<Clock>& clocks, const SyncOf& sync_of) {
  Alignment found{.ahead = std::vector<double>(members.size(), 0.0)};
  for (std::size_t c = 1; c < clocks.size(); ++c) {
    const Bounds bounds = bounds_of(members, segment, clocks.front(), clocks[c], sync_of);
    if (!bounds.known()) found.known = false;
    for (const std::size_t m : clocks[c].members) found.ahead[m] = bounds.middle();
    found.error = std::max(found.error, bounds.error());
  }
  return found;
}

}  // namespace

CollectiveWaits waits_of(std::span<const MemberLog> members, const SyncOf& sync_of) {
  bool agree = true;
  const std::vector<Instance> matched = match(members, agree);
  if (!agree) return unknown("its members disagree about the order of its collectives");
  if (matched.empty()) return unknown("no collective was recorded by all of its members");
  const std::vector<Clock> clocks = clocks_of(members);
  CollectiveWaits waits;
  waits.members.resize(members.size());
  double errors = 0, durations = 0;
  for (std::span<const Instance> rest = matched; !rest.empty();) {
    std::span<const Instance> segment = rest.first(std::min(kSegment, rest.size()));
    Alignment aligned = align(members, segment, clocks, sync_of);
    while (!aligned.known && segment.size() > 1) {  // the clocks drifted apart in it
      segment = segment.first(segment.size() / 2);
      aligned = align(members, segment, clocks, sync_of);
    }
    if (!aligned.known) return unknown(kPoorClocks);
    if (clocks.size() > 1) {
      waits.clock_error = std::max(waits.clock_error.value_or(0), aligned.error);
    }
    for (const Instance& instance : segment) {
      const std::uint16_t call = instance.front()->call;
      const std::vector<double> waited = waits_in(instance, aligned.ahead, sync_of[call]);
      for (std::size_t m = 0; m < members.size(); ++m) {
        waits.members[m][call].seconds += waited[m];
        ++waits.members[m][call].matched;
      }
      errors += aligned.error;
      durations += mean_duration(instance);
    }
    rest = rest.subspan(segment.size());
  }
  return errors > kMostError * durations ? unknown(kPoorClocks) : waits;
}

}  // namespace kstar
