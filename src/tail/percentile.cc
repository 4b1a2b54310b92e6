// The p-quantile of n independent samples lies between ranks l and u with probability
// P(l <= B < u), B binomial with n and p (David and Nagaraja, Order Statistics, 7.1). Where d
// samples are worth one independent sample (correlation.cc), the ranks are those of n/d samples.
#include "tail/percentile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kstar/distributions.h"

namespace kstar::tail {

namespace {

/// Fewer independent samples bound no percentile from both sides (95%).
constexpr double kFewestIndependent = 6;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The smallest whole k with P(B <= k) >= probability.
double binomial_rank(double probability, double trials, double share) {
  double low = -1, high = std::ceil(trials);
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    if (middle <= low || middle >= high) break;  // beyond 2^53 there is nothing between
    (binomial_below(middle, trials, share) >= probability ? high : low) = middle;
  }
  return high;
}

}  // namespace

TailShare share_interval(double successes, double trials, double confidence) {
  const double tail = (1 - confidence) / 2;
  TailShare share{successes / trials, 0, 1};
  const auto search = [](const auto& too_small) {
    double low = 0, high = 1;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (too_small(middle) ? low : high) = middle;
    }
    return (low + high) / 2;
  };
  if (successes > 0) {  // P(B >= k) = tail
    share.low =
        search([&](double p) { return 1 - binomial_below(successes - 1, trials, p) < tail; });
  }
  if (successes < trials) {  // P(B <= k) = tail
    share.high = search([&](double p) { return binomial_below(successes, trials, p) > tail; });
  }
  return share;
}

Percentiles::Percentiles(const LatencySet& set, double confidence)
    : confidence_(confidence), distribution_(set) {
  if (!distribution_.empty()) correlation_ = Correlation(set, distribution_);
}

bool Percentiles::too_short(double factor) const {
  return factor > 1 && static_cast<double>(distribution_.count()) / factor < kFewestIndependent;
}

TailPercentile Percentiles::at(double share) const {
  const std::uint64_t n = distribution_.count();
  TailPercentile found{.share = share, .value = distribution_.estimate(share)};
  found.beyond = distribution_.table() ? n - rank_of(share, n) : distribution_.above(found.value);
  found.correlation_factor = factor(share);
  found.effective = static_cast<double>(n) / found.correlation_factor;
  found.low = found.high = kNan;
  const RankInterval all = rank_interval(share, static_cast<double>(n), confidence_);
  const bool few = all.high > static_cast<double>(n) || all.low < 1;
  if (found.correlation_factor <= 1) {
    found.interval = unordered() ? TailInterval::kAssumed : TailInterval::kRanks;
    found.confidence = all.confidence;
    if (few) found.doubt = TailDoubt::kTooFew;
    found.low = all.low < 1 ? 0 : distribution_.at_rank(static_cast<std::uint64_t>(all.low), true);
    found.high = all.high > static_cast<double>(n)
                     ? kInfinity
                     : distribution_.at_rank(static_cast<std::uint64_t>(all.high));
    return found;
  }
  found.interval = TailInterval::kBatches;
  found.confidence = confidence_;
  const RankInterval worth = rank_interval(share, found.effective, confidence_);
  if (few || too_short(found.correlation_factor) || correlation_.few_events(found.value) ||
      worth.high > found.effective || worth.low < 1) {
    found.doubt = few ? TailDoubt::kTooFew : TailDoubt::kTooShort;
    return found;
  }
  const double ranks = found.correlation_factor;  // of all samples, per rank of independent ones
  const double low = std::max(1.0, std::floor((worth.low - 1) * ranks));
  const double high = std::min(static_cast<double>(n), std::ceil(worth.high * ranks));
  found.low = distribution_.at_rank(static_cast<std::uint64_t>(low), true);
  found.high = distribution_.at_rank(static_cast<std::uint64_t>(high));
  return found;
}

TailShare Percentiles::below(double value, double factor, double part) const {
  const double n = static_cast<double>(distribution_.count());
  const double share = 1 - static_cast<double>(distribution_.above(value)) / n;
  const double worth = n / part / factor;
  return share_interval(share * part * worth, worth, confidence_);
}

/// Each of the fewest batches is worth a sample at most.
double Percentiles::batch_factor() const {
  return static_cast<double>(distribution_.count()) / static_cast<double>(kFewestBatches);
}

/// By the interval of the percentile, where it has one and every request a latency; else by that of
/// the share within the limit, with as many independent samples at every limit.
SloVerdict Percentiles::verdict(const TailPercentile& at, double limit, double answered) const {
  if (answered >= 1 && !std::isnan(at.low)) {
    return at.high <= limit ? SloVerdict::kKept
           : at.low > limit ? SloVerdict::kBroken
                            : SloVerdict::kUnclear;
  }
  const TailShare good = below(limit, at.correlation_factor, answered);
  // Without an interval, what is slow may come seldom: each batch is one sample.
  const double rarely = std::isnan(at.low) ? batch_factor() : 1;
  if (below(limit, std::max(rarely, at.correlation_factor), answered).low >= at.share) {
    return SloVerdict::kKept;
  }
  // Of a wide bucket that the limit is in, all may be within it.
  const bool surely = !distribution_.wide() || std::isnan(at.low) || at.low > limit;
  const bool failures = answered < at.share;
  return good.high < at.share && (surely || failures) ? SloVerdict::kBroken : SloVerdict::kUnclear;
}

}  // namespace kstar::tail

namespace kstar {

RankInterval rank_interval(double share, double samples, double confidence) {
  const double tail = (1 - confidence) / 2;
  RankInterval ranks;
  // low: the largest l with P(B <= l-1) <= tail; high: the smallest u with P(B <= u-1) >= 1-tail.
  ranks.low = tail::binomial_rank(std::nextafter(tail, 1), samples, share);
  ranks.high = tail::binomial_rank(1 - tail, samples, share) + 1;
  const auto held = [&](double high) {
    return binomial_below(high - 1, samples, share) - binomial_below(ranks.low - 1, samples, share);
  };
  // Ranks come in steps: where both tails together leave room, the upper end is one lower.
  if (ranks.high <= samples && held(ranks.high - 1) >= confidence) --ranks.high;
  ranks.confidence = held(ranks.high);
  return ranks;
}

}  // namespace kstar
