// The p-quantile of n independent samples lies between ranks l and u with probability
// P(l <= B < u), B binomial with n and p (David and Nagaraja, Order Statistics, 7.1). Latencies of
// a queue are not independent: slow ones come together. What correlation costs is seen in how the
// number of exceedances of the quantile varies between stretches of time: d = Var(batch) / (m p
// (1-p)), m samples each, is how many samples are worth one independent sample (batch means of
// exceedances: Law and Kelton; Chen and Kelton, IIE Transactions 38, 2006). The ranks are then
// those of n/d samples.
#include "tail/percentile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kstar/distributions.h"

namespace kstar::tail {

namespace {

constexpr std::size_t kFewestBatches = 16;
/// Stretches that vary more than independent samples would by chance alone, so rarely, are
/// correlated; at percentiles other than the one that is asked for, more rarely still.
constexpr double kLevel = 0.01, kOtherLevel = 0.001;
/// Sixteen stretches show a variance roughly. In one of ten measurements they show less than this
/// part of it (chi-squared with 15 degrees of freedom), and a measurement that was quiet by chance
/// shows the least: without this factor those with an answer would be the wrong ones.
constexpr double kUnsure = 15 / 8.547;
/// Fewer independent samples than this say nothing. A larger bound does not make the answers
/// better: it leaves those of measurements that were quiet by chance (bench_tail_coverage).
constexpr double kFewestIndependent = 8;
/// Of sixteen stretches of time, at least about so many must share what is slow.
constexpr double kFewestEvents = 5;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Variation {
  double factor = 1;
  double probability = 1;  ///< of so much by chance
};

/// How much the exceedances of `batches` groups of stretches vary, relative to independent samples.
Variation variation(const std::vector<Exceedance>& stretches, std::size_t batches) {
  double count = 0, above = 0;
  for (const Exceedance& one : stretches) {
    count += one.count;
    above += one.above;
  }
  const double share = above / count;
  if (share <= 0 || share >= 1) return {};
  double squares = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    Exceedance batch;
    const std::size_t end = (i + 1) * stretches.size() / batches;
    for (std::size_t j = i * stretches.size() / batches; j < end; ++j) {
      batch.count += stretches[j].count;
      batch.above += stretches[j].above;
    }
    const double miss = batch.above - share * batch.count;
    squares += miss * miss;
  }
  const double b = static_cast<double>(batches);
  Variation found;
  found.factor = squares * b / (b - 1) / (count * share * (1 - share));
  found.probability = chi_squared_beyond(found.factor * (b - 1), b - 1);
  return found;
}

/// The smallest whole k with P(B <= k) >= probability.
double binomial_rank(double probability, double trials, double share) {
  double low = -1, high = std::ceil(trials);
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
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
    : set_(set), confidence_(confidence), distribution_(set) {
  if (distribution_.empty()) return;
  unordered_ = exceedances(set_, distribution_.quantile(0.5)).size() < kFewestBatches;
  median_factor_ = own_factor(0.5, kOtherLevel);
  high_factor_ = own_factor(0.9, kOtherLevel);
  tail_factor_ = own_factor(0.99, kOtherLevel);
}

/// The largest over batches of several sizes: batches that are too short are correlated themselves,
/// and show too little. Where it still grows with the last doubling, it would have grown as much
/// with the next.
double Percentiles::own_factor(double share, double level) const {
  const std::vector<Exceedance> stretches = exceedances(set_, distribution_.quantile(share));
  if (stretches.size() < kFewestBatches) return 1;
  double largest = 1;
  bool correlated = false;
  std::vector<double> factors;
  for (std::size_t batches = kFewestBatches; batches <= stretches.size(); batches *= 2) {
    const Variation found = variation(stretches, batches);
    factors.push_back(found.factor);
    largest = std::max(largest, found.factor);
    correlated = correlated || found.probability < level;
  }
  if (!correlated) return 1;
  if (factors.size() > 1) largest = std::max(largest, 2 * factors[0] - factors[1]);
  return kUnsure * largest;
}

/// Not less than that of percentiles below it: in a queue the slowest come together most, and are
/// too few to show it themselves.
double Percentiles::factor(double share) const {
  double factor = own_factor(share, kLevel);
  if (share > 0.5) factor = std::max(factor, median_factor_);
  if (share > 0.9) factor = std::max(factor, high_factor_);
  if (share > 0.99) factor = std::max(factor, tail_factor_);
  return factor;
}

bool Percentiles::too_short(double factor) const {
  return factor > 1 && static_cast<double>(distribution_.count()) / factor < kFewestIndependent;
}

/// (sum e)^2 / sum e^2 of the exceedances in sixteen stretches is their number, where all have as
/// many, and 1 where one has all: then everything rests on one stall.
bool Percentiles::few_events(double value) const {
  const std::vector<Exceedance> stretches = exceedances(set_, value);
  if (stretches.size() < kFewestBatches) return false;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kFewestBatches; ++i) {
    double above = 0;
    const std::size_t end = (i + 1) * stretches.size() / kFewestBatches;
    for (std::size_t j = i * stretches.size() / kFewestBatches; j < end; ++j) {
      above += stretches[j].above;
    }
    sum += above;
    squares += above * above;
  }
  return squares > 0 && sum * sum < kFewestEvents * squares;
}

TailPercentile Percentiles::at(double share) const {
  const std::uint64_t n = distribution_.count();
  TailPercentile found{.share = share, .value = distribution_.quantile(share)};
  found.beyond = distribution_.above(found.value);
  found.correlation_factor = factor(share);
  found.effective = static_cast<double>(n) / found.correlation_factor;
  found.low = found.high = kNan;
  const RankInterval all = rank_interval(share, static_cast<double>(n), confidence_);
  const bool few = all.high > static_cast<double>(n) || all.low < 1;
  if (found.correlation_factor <= 1) {
    found.interval = unordered_ ? TailInterval::kAssumed : TailInterval::kRanks;
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
  if (few || too_short(found.correlation_factor) || few_events(found.value) ||
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
