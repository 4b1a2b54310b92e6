#include <algorithm>
#include <map>

#include "trace/across.h"

// The critical path, backwards from the operation that ends last: before an operation stands the
// one on the same rank that ended last before it, or, where none ended just then, what runs beside
// it. A collective leads to the rank that came last,
// at the moment that it came. Time in which nothing ran is the host's where the next operation was
// only launched in it.
namespace kstar::tracing {

namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::int64_t kTogether = 1000, kLate = 20'000;  // nanoseconds

/// The stretches of one rank on the common clock, by their ends.
struct RankLane {
  std::vector<std::size_t> by_end, by_start;
  std::vector<std::int64_t> latest;  ///< by by_start: the latest end up to there
  std::int64_t start = 0;            ///< of the step
};

class PathWalk {
 public:
  PathWalk(const std::vector<RankSummary>& ranks, const Comparison& comparison)
      : ranks_(ranks), comparison_(comparison) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      RankLane lane;
      const auto& all = ranks[r].stretches;
      for (std::size_t i = 0; i < all.size(); ++i) lane.by_end.push_back(i);
      std::stable_sort(lane.by_end.begin(), lane.by_end.end(),
                       [&](std::size_t a, std::size_t b) { return all[a].end < all[b].end; });
      lane.by_start = lane.by_end;
      std::stable_sort(lane.by_start.begin(), lane.by_start.end(),
                       [&](std::size_t a, std::size_t b) { return all[a].start < all[b].start; });
      for (const std::size_t i : lane.by_start) {
        lane.latest.push_back(lane.latest.empty() ? all[i].end
                                                  : std::max(lane.latest.back(), all[i].end));
      }
      if (!ranks[r].steps.empty()) {
        lane.start =
            ranks[r].steps[static_cast<std::size_t>(ranks[r].shown)].start - comparison.clocks[r];
      }
      lanes_.push_back(std::move(lane));
    }
    if (!lanes_.empty()) base_ = lanes_.front().start;
  }

  TracePath walk() {
    std::size_t rank = 0;
    std::int64_t time = 0;
    bool any = false;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (lanes_[r].by_end.empty()) continue;
      const std::int64_t end = end_of(r, lanes_[r].by_end.back());
      if (!any || end > time) time = end, rank = r;
      any = true;
    }
    if (!any) return {};
    const std::int64_t finish = time;
    const Stretch* next = nullptr;
    std::size_t left = 1;
    for (const RankLane& lane : lanes_) left += 3 * lane.by_end.size();
    for (; left > 0; --left) {
      const Stretch* before = before_time(rank, time);
      const std::int64_t ended = before == nullptr ? lanes_[rank].start : before->end - clock(rank);
      if (ended < time) {
        const Running running = running_at(rank, time);
        if (running.stretch != nullptr && running.start < time) {
          const std::int64_t from = std::max(running.start, ended);
          add(piece_kind(running.stretch->kind), rank, *running.stretch, from, time);
          next = running.stretch;
          time = from;
          continue;
        }
      }
      if (before == nullptr) break;
      const std::int64_t end = std::min(time, ended);
      if (end < time) add_gap(rank, end, time, next);
      std::int64_t start = before->start - clock(rank);
      if (before->kind == Kind::kCommunication) {
        const auto [to, at, operation] = arrival(rank, *before);
        add(TracePathPiece::Kind::kTransfer, rank, *before, std::max(at, start), end);
        next = stretch_of(to, operation);
        time = std::max(at, start);
        if (to != rank) {
          rank = to;
          continue;
        }
        time = start = std::min(time, start);
        next = before;
        continue;
      }
      add(piece_kind(before->kind), rank, *before, start, end);
      next = before;
      time = start;
    }
    if (time > lanes_[rank].start) add_gap(rank, lanes_[rank].start, time, next);
    return finished(finish);
  }

 private:
  std::int64_t clock(std::size_t rank) const { return comparison_.clocks[rank]; }
  std::int64_t end_of(std::size_t rank, std::size_t i) const {
    return ranks_[rank].stretches[i].end - clock(rank);
  }

  static TracePathPiece::Kind piece_kind(Kind kind) {
    return kind == Kind::kCommunication ? TracePathPiece::Kind::kTransfer
           : kind == Kind::kCopy        ? TracePathPiece::Kind::kCopy
                                        : TracePathPiece::Kind::kCompute;
  }

  struct Running {
    const Stretch* stretch = nullptr;
    std::int64_t start = 0;  ///< of what counts of it
  };

  /// What runs before `time` and beyond it: what started at `time` needed a part of it, or waited
  /// for its place beside it. Computation before copies and transfers; of those, the longest.
  Running running_at(std::size_t rank, std::int64_t time) const {
    const RankLane& lane = lanes_[rank];
    const auto& all = ranks_[rank].stretches;
    auto i =
        static_cast<std::size_t>(std::lower_bound(lane.by_start.begin(), lane.by_start.end(), time,
                                                  [&](std::size_t one, std::int64_t value) {
                                                    return all[one].start - clock(rank) < value;
                                                  }) -
                                 lane.by_start.begin());
    const auto order = [](const Stretch& one) {
      return one.kind == Kind::kCommunication ? 2 : one.kind == Kind::kCopy ? 1 : 0;
    };
    Running found;
    for (; i > 0 && lane.latest[i - 1] - clock(rank) > time; --i) {
      const Stretch& one = all[lane.by_start[i - 1]];
      if (one.end - clock(rank) <= time) continue;
      std::int64_t start = one.start - clock(rank);
      // Until its last rank came, a collective only waits.
      if (one.kind == Kind::kCommunication) start = std::max(start, arrival(rank, one).time);
      if (start >= time) continue;
      if (found.stretch != nullptr && order(one) > order(*found.stretch)) continue;
      if (found.stretch == nullptr || order(one) < order(*found.stretch) || start < found.start) {
        found = {&one, start};
      }
    }
    return found;
  }

  /// The stretch that ends last, not after `time`; it starts before it.
  const Stretch* before_time(std::size_t rank, std::int64_t time) const {
    const auto& by_end = lanes_[rank].by_end;
    // What was waited for may be seen to end a little after what waited for it starts.
    auto at = std::upper_bound(
        by_end.begin(), by_end.end(), time + kLate,
        [&](std::int64_t value, std::size_t i) { return value < end_of(rank, i); });
    const Stretch* found = nullptr;
    while (at != by_end.begin()) {
      const Stretch& one = ranks_[rank].stretches[*--at];
      if (found != nullptr && one.end < found->end - kTogether) break;
      if (one.start - clock(rank) >= time) continue;
      if (one.end - clock(rank) > time && one.kind != Kind::kCommunication) continue;
      // Of several that end together, the one that another rank kept waiting.
      if (found == nullptr || (!leads_away(rank, *found) && leads_away(rank, one))) found = &one;
    }
    return found;
  }

  bool leads_away(std::size_t rank, const Stretch& one) const {
    return one.kind == Kind::kCommunication && arrival(rank, one).rank != rank;
  }

  struct Arrival {
    std::size_t rank = 0;
    std::int64_t time = 0;
    std::int64_t operation = -1;
  };

  /// Who came last to a collective, and when. A rank whose trace shows other steps is not
  /// followed.
  Arrival arrival(std::size_t rank, const Stretch& stretch) const {
    const Arrival own{rank, stretch.start - clock(rank), stretch.operation};
    if (stretch.operation < 0) return own;
    const auto& split = comparison_.operations[rank][static_cast<std::size_t>(stretch.operation)];
    if (split.partner >= 0) return ready_side(own, split);
    if (split.last < 0 || static_cast<std::size_t>(split.last) == rank) return own;
    const auto last = static_cast<std::size_t>(split.last);
    if (stretch_of(last, split.last_operation) == nullptr) return own;
    const Operation& operation =
        ranks_[last].operations[static_cast<std::size_t>(split.last_operation)];
    const std::int64_t came = operation.start - clock(last);
    if (came < own.time || came >= stretch.end - clock(rank)) return own;
    return {last, came, split.last_operation};
  }

  /// Of the two sides of a message, the one that had something to do until shortly before.
  Arrival ready_side(const Arrival& own, const OperationSplit& split) const {
    const auto other = static_cast<std::size_t>(split.partner);
    const Stretch* there = stretch_of(other, split.partner_operation);
    if (there == nullptr) return own;
    const std::int64_t start = there->start - clock(other);
    const std::int64_t own_gap = gap_before(own.rank, own.time), gap = gap_before(other, start);
    return gap < own_gap ? Arrival{other, std::min(start, own.time), split.partner_operation} : own;
  }

  /// How long a rank computed nothing before `time`.
  std::int64_t gap_before(std::size_t rank, std::int64_t time) const {
    std::int64_t last = lanes_[rank].start;
    for (const Stretch& one : ranks_[rank].stretches) {
      if (one.kind == Kind::kCommunication) continue;
      const std::int64_t start = one.start - clock(rank), end = one.end - clock(rank);
      if (start < time) last = std::max(last, std::min(end, time));
    }
    return time - last;
  }

  const Stretch* stretch_of(std::size_t rank, std::int64_t operation) const {
    const auto& all = ranks_[rank].stretches;
    const auto at = std::find_if(all.begin(), all.end(), [&](const Stretch& one) {
      return one.operation == operation && operation >= 0;
    });
    return at == all.end() ? nullptr : &*at;
  }

  void add_gap(std::size_t rank, std::int64_t from, std::int64_t to, const Stretch* next) {
    const bool late = next != nullptr && next->launch != 0 && next->launch - clock(rank) >= from;
    TracePathPiece piece;
    piece.kind = late ? TracePathPiece::Kind::kHost : TracePathPiece::Kind::kIdle;
    piece.rank = ranks_[rank].rank;
    piece.name = late ? "host: launched late" : "nothing runs";
    piece.start = static_cast<double>(from - base_);
    piece.seconds = static_cast<double>(to - from) * kNanosecond;
    pieces_.push_back(std::move(piece));
  }

  void add(TracePathPiece::Kind kind, std::size_t rank, const Stretch& stretch, std::int64_t from,
           std::int64_t to) {
    if (to <= from) return;
    TracePathPiece piece;
    piece.kind = kind;
    piece.rank = ranks_[rank].rank;
    piece.name = ranks_[rank].names[stretch.name];
    piece.count = stretch.count;
    piece.start = static_cast<double>(from - base_);
    piece.seconds = static_cast<double>(to - from) * kNanosecond;
    pieces_.push_back(std::move(piece));
  }

  TracePath finished(std::int64_t finish) {
    TracePath path;
    std::reverse(pieces_.begin(), pieces_.end());
    const double begin =
        pieces_.empty() ? static_cast<double>(finish - base_) : pieces_.front().start;
    std::map<std::pair<int, std::string>, TracePathPiece> sums;
    std::map<std::int64_t, double> by_rank;
    for (TracePathPiece& piece : pieces_) {
      piece.start = (piece.start - begin) * kNanosecond;
      path.seconds += piece.seconds;
      path.by_kind[static_cast<std::size_t>(piece.kind)] += piece.seconds;
      by_rank[piece.rank] += piece.seconds;
      const auto [at, added] = sums.try_emplace({static_cast<int>(piece.kind), piece.name}, piece);
      if (added) continue;
      at->second.seconds += piece.seconds;
      at->second.count += piece.count;
    }
    for (auto& [key, sum] : sums) path.largest.push_back(std::move(sum));
    std::stable_sort(path.largest.begin(), path.largest.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    constexpr std::size_t kMostNames = 40;
    if (path.largest.size() > kMostNames) path.largest.resize(kMostNames);
    path.by_rank.assign(by_rank.begin(), by_rank.end());
    std::stable_sort(path.by_rank.begin(), path.by_rank.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    path.pieces = std::move(pieces_);
    return path;
  }

  const std::vector<RankSummary>& ranks_;
  const Comparison& comparison_;
  std::vector<RankLane> lanes_;
  std::vector<TracePathPiece> pieces_;
  std::int64_t base_ = 0;  ///< seconds as doubles are exact only near it
};

}  // namespace

TracePath critical_path(const std::vector<RankSummary>& ranks, const Comparison& comparison) {
  return PathWalk(ranks, comparison).walk();
}

}  // namespace kstar::tracing
