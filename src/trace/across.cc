#include "trace/across.h"

#include <algorithm>
#include <map>
#include <tuple>

// Collectives end at the same moment on all their ranks, and start when each of them comes. So ends
// of matched collectives tell the clocks apart (the median over collectives), and starts, on one
// clock, tell who came last: before that a rank waits, behind it data move.
namespace kstar::tracing {

namespace {

struct Member {
  std::int32_t rank = 0;
  std::int64_t operation = 0;
};

/// The same collective on several ranks.
struct Match {
  std::vector<Member> members;
  bool ends_together = true;
  bool is_message = false;  ///< from the first member to the second
  std::int64_t size = 0;
};

bool is_point_to_point(const OperationKind& kind) {
  return (kind.collective == "send" || kind.collective == "receive" ||
          kind.collective == "peer copy") &&
         kind.size != 2;
}

/// A root sends or receives: the others may be done before or after it.
bool has_root(const OperationKind& kind) {
  return kind.collective == "broadcast" || kind.collective == "reduce" ||
         kind.collective == "gather" || kind.collective == "scatter";
}

using MatchKey = std::tuple<int, std::string, std::string, std::string>;

std::vector<Match> match_operations(const std::vector<RankSummary>& ranks,
                                    const std::vector<std::vector<int>>& step_of, Comparison& out) {
  std::map<MatchKey, std::map<std::int32_t, std::vector<std::int64_t>>> lists;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < ranks[r].operations.size(); ++i) {
      const Operation& operation = ranks[r].operations[i];
      if (operation.step < 0) continue;
      const int step = step_of[r][static_cast<std::size_t>(operation.step)];
      const OperationKind& kind = ranks[r].kinds[operation.kind];
      if (step < 0) continue;
      ++count;
      if (is_point_to_point(kind)) continue;
      lists[{step, kind.ranks.empty() ? kind.group : "", kind.ranks, kind.collective}]
           [static_cast<std::int32_t>(r)]
               .push_back(static_cast<std::int64_t>(i));
    }
    out.collectives = std::max(out.collectives, count);
  }
  std::vector<Match> matches;
  for (const auto& [key, by_rank] : lists) {
    std::size_t fewest = by_rank.begin()->second.size(), most = 0;
    for (const auto& [rank, list] : by_rank) {
      fewest = std::min(fewest, list.size());
      most = std::max(most, list.size());
    }
    if (by_rank.size() < 2 || fewest != most) continue;  // which is which would be a guess
    for (std::size_t i = 0; i < fewest; ++i) {
      Match match;
      for (const auto& [rank, list] : by_rank) match.members.push_back({rank, list[i]});
      const Member& first = match.members.front();
      const RankSummary& summary = ranks[static_cast<std::size_t>(first.rank)];
      const auto& operation = summary.operations[static_cast<std::size_t>(first.operation)];
      const OperationKind& kind = summary.kinds[operation.kind];
      match.ends_together = !has_root(kind);
      match.size = kind.size;
      matches.push_back(std::move(match));
    }
  }
  return matches;
}

/// In a timeline, on one clock, both sides of a message start together: when the sender has it.
/// Sends and receives of two ranks that do belong together, where there is one such pair.
void match_messages(const std::vector<RankSummary>& ranks,
                    const std::vector<std::vector<int>>& step_of, std::vector<Match>& matches) {
  constexpr std::int64_t kTogether = 2000;
  struct Start {
    std::int64_t time;
    Member member;
  };
  std::vector<Start> sends;
  const auto each = [&](std::string_view collective, const auto& take) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (std::size_t i = 0; i < ranks[r].operations.size(); ++i) {
        const Operation& one = ranks[r].operations[i];
        if (one.step < 0 || step_of[r][static_cast<std::size_t>(one.step)] < 0) continue;
        if (ranks[r].kinds[one.kind].collective != collective) continue;
        take(one, Member{static_cast<std::int32_t>(r), static_cast<std::int64_t>(i)});
      }
    }
  };
  each("send", [&](const Operation& one, Member member) { sends.push_back({one.start, member}); });
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Start& a, const Start& b) { return a.time < b.time; });
  each("receive", [&](const Operation& one, Member member) {
    auto at =
        std::lower_bound(sends.begin(), sends.end(), one.start - kTogether,
                         [](const Start& start, std::int64_t value) { return start.time < value; });
    const Start* only = nullptr;
    for (; at != sends.end() && at->time <= one.start + kTogether; ++at) {
      if (at->member.rank == member.rank) continue;
      if (only != nullptr) return;  // several: which one is not told
      only = &*at;
    }
    if (only == nullptr) return;
    Match match;
    match.members = {only->member, member};
    match.ends_together = false;
    match.is_message = true;
    matches.push_back(std::move(match));
  });
}

std::int64_t median_of(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const std::int64_t below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

const Operation& operation_of(const std::vector<RankSummary>& ranks, const Member& member) {
  return ranks[static_cast<std::size_t>(member.rank)]
      .operations[static_cast<std::size_t>(member.operation)];
}

bool is_one_file(const std::vector<RankSummary>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](const RankSummary& rank) { return rank.file == ranks.front().file; });
}

/// Medians in turn: of the ends of a collective over ranks, and of what a rank's ends differ from
/// them over collectives.
std::vector<std::int64_t> estimate_clocks(const std::vector<RankSummary>& ranks,
                                          const std::vector<Match>& matches) {
  std::vector<std::int64_t> clocks(ranks.size(), 0);
  if (is_one_file(ranks)) return clocks;
  constexpr int kMostRounds = 50;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::vector<std::int64_t>> differences(ranks.size());
    std::vector<std::int64_t> ends;
    for (const Match& match : matches) {
      if (!match.ends_together) continue;
      ends.clear();
      for (const Member& member : match.members) {
        ends.push_back(operation_of(ranks, member).end -
                       clocks[static_cast<std::size_t>(member.rank)]);
      }
      const std::int64_t middle = median_of(ends);
      for (const Member& member : match.members) {
        differences[static_cast<std::size_t>(member.rank)].push_back(
            operation_of(ranks, member).end - middle);
      }
    }
    std::int64_t moved = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (differences[r].empty()) continue;
      const std::int64_t clock = median_of(differences[r]);
      moved = std::max(moved, std::max(clock - clocks[r], clocks[r] - clock));
      clocks[r] = clock;
    }
    if (moved <= 1) break;
  }
  std::vector<std::int64_t> sorted = clocks;
  const std::int64_t middle = sorted.empty() ? 0 : median_of(sorted);
  for (std::int64_t& clock : clocks) clock -= middle;
  return clocks;
}

/// Ends that are apart by a tenth of the longest are none of one collective: the operations only
/// look alike.
bool agrees(std::int64_t spread, std::int64_t longest) {
  constexpr std::int64_t kJitter = 100'000;
  return spread <= std::max(kJitter, longest / 10);
}

/// Both sides of a message know each other; nobody is said to be late.
void join_message(const Match& match, Comparison& out) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Member &own = match.members[i], &other = match.members[1 - i];
    OperationSplit& split =
        out.operations[static_cast<std::size_t>(own.rank)][static_cast<std::size_t>(own.operation)];
    split.partner = other.rank;
    split.partner_operation = other.operation;
  }
}

void split_match(const std::vector<RankSummary>& ranks, const Match& match, Comparison& out,
                 std::vector<std::int64_t>& spreads) {
  std::int64_t first_end = 0, last_end = 0, last_start = 0, longest = 0;
  const Member* last = nullptr;
  bool any = false;
  for (const Member& member : match.members) {
    const Operation& operation = operation_of(ranks, member);
    const std::int64_t clock = out.clocks[static_cast<std::size_t>(member.rank)];
    const std::int64_t end = operation.end - clock, start = operation.start - clock;
    first_end = any ? std::min(first_end, end) : end;
    last_end = any ? std::max(last_end, end) : end;
    longest = std::max(longest, operation.end - operation.start);
    if (!any || start > last_start) last_start = start, last = &member;
    any = true;
  }
  if (match.ends_together && !agrees(last_end - first_end, longest)) {
    ++out.doubtful;
    return;
  }
  ++out.matched;
  if (match.ends_together) spreads.push_back(last_end - first_end);
  if (match.size > static_cast<std::int64_t>(match.members.size())) out.partial = true;
  std::int64_t longest_wait = 0;
  for (const Member& member : match.members) {
    const Operation& operation = operation_of(ranks, member);
    const auto r = static_cast<std::size_t>(member.rank);
    const std::int64_t start = operation.start - out.clocks[r];
    OperationSplit& split = out.operations[r][static_cast<std::size_t>(member.operation)];
    split.waiting =
        std::clamp<std::int64_t>(last_start - start, 0, operation.end - operation.start);
    split.last = last->rank;
    split.last_operation = last->operation;
    longest_wait = std::max(longest_wait, split.waiting);
  }
  // Starts within the resolution of a trace are together: nobody was last.
  constexpr std::int64_t kTogether = 1000;
  if (longest_wait > kTogether) ++out.last[static_cast<std::size_t>(last->rank)];
}

}  // namespace

Comparison compare_ranks(const std::vector<RankSummary>& ranks,
                         const std::vector<std::vector<int>>& step_of) {
  Comparison out;
  for (const RankSummary& rank : ranks) out.operations.emplace_back(rank.operations.size());
  out.last.assign(ranks.size(), 0);
  std::vector<Match> matches = match_operations(ranks, step_of, out);
  if (ranks.size() > 1 && is_one_file(ranks)) match_messages(ranks, step_of, matches);
  out.clocks = estimate_clocks(ranks, matches);
  std::vector<std::int64_t> spreads;
  for (const Match& match : matches) {
    if (match.is_message) {
      join_message(match, out);
    } else {
      split_match(ranks, match, out, spreads);
    }
  }
  if (!spreads.empty()) out.clock_error = median_of(spreads);
  return out;
}

}  // namespace kstar::tracing
