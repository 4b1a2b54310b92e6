// Coordinated omission (Tene, How NOT to Measure Latency): a client that waits for a late answer
// before it sends the next request measures one late request where an open system would have had
// many. It shows in the starts: while a request is late, an open client starts as many requests as
// just before and after, a waiting one none. The number of starts in the union of all late requests
// is therefore compared with a Poisson process of the rates around them: the rate of a whole day is
// not that of its night.
#include "tail/omission.h"

#include <algorithm>
#include <cmath>

#include "kstar/distributions.h"
#include "kstar/stats.h"

namespace kstar::tail {

namespace {

constexpr double kLate = 2;           ///< intervals: from here on a request is late
constexpr double kSurely = 1e-3;      ///< so few starts by chance are no chance
constexpr double kClearly = 0.8;      ///< and are at most this share of what is expected
constexpr double kFewestStarts = 10;  ///< that must be expected for a verdict
constexpr double kThin = 100;         ///< fewer starts outside say little about their rate
constexpr std::uint64_t kMostAdded = 50000000;

double median_gap(const std::vector<double>& starts) {
  std::vector<double> gaps;
  gaps.reserve(starts.size());
  for (std::size_t i = 1; i < starts.size(); ++i) gaps.push_back(starts[i] - starts[i - 1]);
  return upper_median_of(std::move(gaps));
}

/// In which a request is late, from its start to its end.
struct Stretch {
  double begin = 0, end = 0;
  double rate = 0;  ///< of starts around it, when nothing is late

  /// Starts in it after its own, up to `last`: at equal intervals as many as are whole.
  double expected(double last) const {
    return std::floor(rate * std::max(0.0, std::min(end, last) - begin) * (1 + 1e-9));
  }
};

/// Put together where they overlap. Starts that are whole steps of a coarse clock tell nothing of
/// what takes a few steps.
std::vector<Stretch> late_stretches(const LatencySet& set, double interval, std::size_t& late) {
  constexpr double kSteps = 10;
  const double least = std::max(kLate * interval, kSteps * set.clock_step);
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples[i] <= least) continue;
    ++late;
    const double begin = set.starts[i], end = begin + set.samples[i];
    if (!stretches.empty() && begin <= stretches.back().end) {
      stretches.back().end = std::max(stretches.back().end, end);
    } else {
      stretches.push_back({begin, end});
    }
  }
  return stretches;
}

/// The smaller of the rates of the sixteen starts before a stretch and after it, on a clock that
/// stands still in every stretch; `usual` where there are too few.
void add_rates_around(const std::vector<double>& starts, double usual,
                      std::vector<Stretch>& stretches) {
  constexpr std::size_t kAround = 16, kFewest = 8;
  std::vector<double> clock;        // of starts outside
  std::vector<std::size_t> before;  // how many of them up to each stretch's own
  double stood = 0;
  std::size_t next = 0;
  for (const double start : starts) {
    while (next < stretches.size() && start >= stretches[next].end &&
           start > stretches[next].begin) {
      stood += stretches[next].end - stretches[next].begin;
      ++next;
    }
    const bool inside = next < stretches.size() && start > stretches[next].begin;
    if (inside) continue;
    clock.push_back(start - stood);
    if (next < stretches.size() && start == stretches[next].begin && before.size() == next) {
      before.push_back(clock.size());
    }
  }
  const auto rate_of = [&](std::size_t first, std::size_t last) -> std::optional<double> {
    if (last < first + kFewest || clock[last] <= clock[first]) return std::nullopt;
    return static_cast<double>(last - first) / (clock[last] - clock[first]);
  };
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    stretches[i].rate = usual;
    if (i >= before.size()) continue;
    const std::size_t own = before[i] - 1;
    const auto earlier = rate_of(own - std::min(own, kAround), own);
    const auto later = rate_of(own, std::min(own + kAround, clock.size() - 1));
    if (earlier || later) {
      stretches[i].rate = std::min(earlier.value_or(later.value_or(usual)),
                                   later.value_or(earlier.value_or(usual)));
    }
  }
}

/// A stretch that should hold more starts than its rate was seen from says as much about that rate
/// as about itself: it gets the least that `others` starts outside of all stretches show. Where
/// something is late nearly always (an overload), these are too few: then the median gap tells, as
/// that of a Poisson process.
void limit_rates(double others, double usual, double median, std::vector<Stretch>& stretches) {
  constexpr double kAround = 16;
  const double typical = median > 0 ? std::log(2.0) / median : usual;
  const double least = usual * (1 - 2 / std::sqrt(std::max(4.0, others)));
  for (Stretch& one : stretches) {
    if (one.rate * (one.end - one.begin) <= kAround) continue;
    one.rate = std::min(one.rate, others < kThin ? typical : least);
  }
}

/// Percentiles of the latencies and of those that would have been there, too: not less than without
/// them, where those that were added waited only briefly.
void correct(std::vector<double> all, std::size_t recorded, const std::vector<double>& shares,
             Omission& omission) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(recorded);
  std::sort(all.begin(), end);
  for (const double share : shares) {
    omission.corrected.emplace_back(share, all[rank_of(share, recorded) - 1]);
  }
  std::sort(all.begin(), all.end());
  for (auto& [share, value] : omission.corrected) {
    value = std::max(value, all[rank_of(share, all.size()) - 1]);
  }
}

/// Requests that were due while nothing started and something was late, each to its end.
void add_missing(const LatencySet& set, const std::vector<Stretch>& stretches,
                 const std::vector<double>& shares, Omission& omission) {
  std::vector<double> all = set.samples;
  double end = 0;
  const auto fill = [&](double from, double to, double interval) {
    const double until = std::min(to, end);
    const auto missing = static_cast<std::uint64_t>(
        std::max(0.0, std::floor((until - from) / interval * (1 - 1e-12))));
    if (omission.added + missing > kMostAdded) return;
    omission.added += missing;
    for (std::uint64_t i = 1; i <= missing; ++i) {
      all.push_back(end - from - static_cast<double>(i) * interval);
    }
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < set.starts.size(); ++i) {
    end = std::max(end, set.starts[i] + set.samples[i]);
    const double next = i + 1 < set.starts.size() ? set.starts[i + 1] : end;
    omission.longest_gap = std::max(omission.longest_gap, next - set.starts[i]);
    while (at < stretches.size() && stretches[at].end <= set.starts[i]) ++at;
    if (at == stretches.size() || stretches[at].begin > set.starts[i]) continue;
    const double rate = stretches[at].rate;
    if (rate > 0 && next - set.starts[i] > kLate / rate) fill(set.starts[i], next, 1 / rate);
  }
  correct(std::move(all), set.samples.size(), shares, omission);
}

/// Without times: if one client waited for each answer, those that it did not send.
void add_if_waited(const LatencySet& set, double interval, const std::vector<double>& shares,
                   Omission& omission) {
  double more = 0, busy = 0;
  for (const double latency : set.samples) {
    more += std::max(0.0, latency / interval - 1);
    busy += std::min(latency, interval);
  }
  // The rest of a late answer is what it would catch up with; the others must leave room for it.
  const double least = busy / static_cast<double>(set.samples.size());
  constexpr double kAlways = 0.95;
  if (least > kAlways * interval) {
    double sum = 0;
    for (const double latency : set.samples) sum += latency;
    omission.reach = static_cast<double>(set.samples.size()) / sum;
    return;
  }
  if (more > static_cast<double>(kMostAdded)) return;
  std::vector<double> all = set.samples;
  for (const double latency : set.samples) {
    for (double rest = latency - interval; rest >= interval * 1e-9; rest -= interval) {
      all.push_back(rest);
      ++omission.added;
    }
  }
  correct(std::move(all), set.samples.size(), shares, omission);
}

void judge(const LatencySet& set, std::optional<double> rate, const std::vector<double>& shares,
           Omission& omission) {
  // Of concurrent clients, starts may be at the same time: then the mean tells more.
  const double whole = set.starts.back() - set.starts.front();
  const double median = median_gap(set.starts);
  const double mean = whole / static_cast<double>(set.starts.size() - 1);
  omission.interval = rate ? 1 / *rate : (median > 0 ? std::min(median, mean) : mean);
  if (omission.interval <= 0) return;
  std::vector<Stretch> stretches = late_stretches(set, omission.interval, omission.late);
  double late_time = 0;
  const double last = set.starts.back();
  for (const Stretch& one : stretches) {
    late_time += std::max(0.0, std::min(one.end, last) - one.begin);
    const auto from = std::upper_bound(set.starts.begin(), set.starts.end(), one.begin);
    const auto to = std::lower_bound(from, set.starts.end(), one.end);
    omission.seen += static_cast<double>(to - from);
  }
  // The last late request has nothing after it: what should have started in it counts, too, where
  // the rate is known to have gone on.
  if (!stretches.empty() && rate) late_time += std::max(0.0, stretches.back().end - last);
  const double outside = whole - std::min(late_time, whole);
  const double others = static_cast<double>(set.starts.size()) - omission.seen;
  const double usual = rate ? *rate : (outside > 0 ? others / outside : 0);
  if (rate && outside > 0 && others >= kFewestStarts && others / outside < kClearly * *rate) {
    // Not even when nothing is late: it was not sent at that rate.
    omission = Omission{.reach = 1 / mean};
    judge(set, std::nullopt, shares, omission);
    return;
  }
  if (omission.late == 0) {
    const double longest = *std::max_element(set.samples.begin(), set.samples.end());
    if (longest > kLate * omission.interval) return;  // too coarse a clock: cannot be told
    omission.verdict = OmissionVerdict::kNotFound;
    return;
  }
  if (rate) {
    for (Stretch& one : stretches) one.rate = *rate;
  } else {
    add_rates_around(set.starts, usual, stretches);
    // At equal intervals, those that a late request ends within are cut, and look shorter.
    for (Stretch& one : stretches) {
      if (median > 0) one.rate = std::min(one.rate, 1 / median);
    }
  }
  std::vector<Stretch> cautious = stretches;
  if (!rate) limit_rates(others, usual, median, cautious);
  if (!rate && others < kThin) stretches = cautious;
  double least = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    omission.expected += stretches[i].expected(rate ? stretches[i].end : last);
    least += cautious[i].expected(rate ? cautious[i].end : last);
  }
  // A last request that is far longer than all before it: nothing started because of it.
  if (!rate && omission.expected < kFewestStarts && usual > 0) {
    const double tail = std::max(0.0, stretches.back().end - last) * stretches.back().rate;
    if (tail >= kFewestStarts) {
      omission.expected += tail;
      least += tail;
    }
  }
  if (omission.expected < kFewestStarts) return;  // cannot be told
  omission.probability = poisson_below(omission.seen, least);
  const bool found = omission.probability < kSurely && omission.seen < kClearly * least;
  omission.verdict = found ? OmissionVerdict::kFound : OmissionVerdict::kNotFound;
  if (found && usual > 0) {
    omission.interval = 1 / usual;
    add_missing(set, stretches, shares, omission);
  }
}

}  // namespace

Omission find_omission(const LatencySet& set, std::optional<double> rate,
                       const std::vector<double>& shares) {
  Omission omission;
  if (!rate) rate = set.offered;
  if (set.loop == LoopKind::kOpen) {
    omission.verdict = OmissionVerdict::kImpossible;
    return omission;
  }
  if (set.starts.size() > 2 && set.seconds) {
    judge(set, rate, shares, omission);
  } else if (rate && !set.samples.empty() && set.seconds && set.connections.value_or(1) <= 1) {
    omission.interval = 1 / *rate;
    for (const double latency : set.samples) omission.late += latency > kLate / *rate ? 1U : 0U;
    if (omission.late == 0) {
      omission.verdict = OmissionVerdict::kNotFound;
    } else {
      add_if_waited(set, omission.interval, shares, omission);
    }
  }
  if (omission.verdict == OmissionVerdict::kUnknown && set.loop == LoopKind::kClosed) {
    omission.verdict = OmissionVerdict::kClosedLoop;
  }
  return omission;
}

}  // namespace kstar::tail
