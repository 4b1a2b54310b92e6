#include "tail/requests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kstar::tail {

namespace {

constexpr double kSlow = 0.99;  ///< beyond p99 is slow
constexpr double kMostWorkers = 1048576;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

FanOutRow fan_out_row(const Percentiles& one, double workers, const std::vector<double>& shares) {
  FanOutRow row{.workers = workers, .any_slow = -std::expm1(workers * std::log(kSlow))};
  for (const double share : shares) {
    // The slowest of K is below x with F(x)^K.
    TailPercentile found = one.at(std::pow(share, 1 / workers));
    found.share = share;
    row.all.push_back(found);
  }
  return row;
}

/// The largest K with share^K >= kept.
double most_workers(double share, double kept) {
  if (share <= 0) return 0;
  if (share >= 1) return kUnbounded;
  const double exact = std::log(kept) / std::log(share);
  return std::floor(exact * (1 + 1e-12));
}

/// P(hedged latency > t), with the chance that a plain one is longer.
template <typename Longer>
double hedged_tail(const Longer& longer, double delay, double t) {
  return t < delay ? longer(t) : longer(t) * longer(t - delay);
}

/// The smallest value of the distribution (or delay plus one) that at most `rest` are beyond.
template <typename Longer>
double hedged_quantile(const Distribution& distribution, const Longer& longer, double delay,
                       double rest) {
  double low = 0, high = distribution.max();
  if (hedged_tail(longer, delay, high) > rest) return kUnbounded;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (hedged_tail(longer, delay, middle) > rest ? low : high) = middle;
  }
  return high;
}

/// Intervals of shares that so many independent samples give, between computed ones.
class Band {
 public:
  Band(double samples, double confidence) {
    constexpr double kStep = 1.2;
    shares_.push_back({0, 0, share_interval(0, samples, confidence).high});
    for (double share = 0.5 / samples; share < 1; share *= kStep) {
      shares_.push_back(share_interval(share * samples, samples, confidence));
    }
    shares_.push_back({1, share_interval(samples, samples, confidence).low, 1});
  }
  double at(double share, bool upper) const {
    auto next =
        std::lower_bound(shares_.begin() + 1, shares_.end() - 1, share,
                         [](const TailShare& one, double wanted) { return one.value < wanted; });
    const TailShare &a = *(next - 1), &b = *next;
    const double part = (share - a.value) / (b.value - a.value);
    return upper ? a.high + part * (b.high - a.high) : a.low + part * (b.low - a.low);
  }

 private:
  std::vector<TailShare> shares_;
};

/// To the ends of the buckets that both ends are in.
void widen(const Distribution& all, TailPercentile& found) {
  const std::vector<double>& values = all.values();
  const auto low = std::lower_bound(values.begin(), values.end(), found.low);
  found.low = low == values.begin() ? 0 : *(low - 1);
  const auto high = std::lower_bound(values.begin(), values.end(), found.high);
  if (high != values.end()) found.high = *high;
}

/// What a percentile of hedged requests rests on, whatever the delay.
struct HedgeBasis {
  double share = 0;
  double factor = 1;
  std::optional<Band> band;
};

HedgeRow hedge_row(const Percentiles& one, double at, const std::vector<HedgeBasis>& bases) {
  const Distribution& all = one.distribution();
  const double n = static_cast<double>(all.count());
  HedgeRow row{.share = at, .delay = all.quantile(at)};
  const auto longer = [&](double t) { return static_cast<double>(all.above(t)) / n; };
  row.more = longer(row.delay);
  for (const HedgeBasis& basis : bases) {
    const double share = basis.share, factor = basis.factor;
    TailPercentile found{.share = share,
                         .value = hedged_quantile(all, longer, row.delay, 1 - share)};
    found.effective = n / factor;
    found.correlation_factor = factor;
    found.interval = factor > 1        ? TailInterval::kBatches
                     : one.unordered() ? TailInterval::kAssumed
                                       : TailInterval::kRanks;
    found.low = found.high = std::numeric_limits<double>::quiet_NaN();
    if (!basis.band) {
      found.doubt = TailDoubt::kTooShort;
      row.all.push_back(found);
      continue;
    }
    // Both factors of the tail at the same end of their intervals.
    const auto end = [&](bool upper) {
      return [&, upper](double t) { return basis.band->at(longer(t), upper); };
    };
    found.low = hedged_quantile(all, end(false), row.delay, 1 - share);
    found.high = hedged_quantile(all, end(true), row.delay, 1 - share);
    if (!std::isfinite(found.high)) found.doubt = TailDoubt::kTooFew;
    if (all.wide()) widen(all, found);
    row.all.push_back(found);
  }
  return row;
}

/// E[max of K], from the distribution: sum of value x (F(v)^K - F(v-)^K).
double expected_slowest(const Distribution& all, double workers) {
  const double n = static_cast<double>(all.count());
  double sum = 0, before = 0;
  for (std::size_t i = 0; i < all.values().size(); ++i) {
    const double below = std::pow(static_cast<double>(all.upto()[i]) / n, workers);
    sum += all.values()[i] * (below - before);
    before = below;
  }
  return sum;
}

double chance_any(double probability, double workers) {
  return -std::expm1(workers * std::log1p(-probability));
}

}  // namespace

FanOut fan_out(const Percentiles& one, const TailOptions& options,
               const std::optional<TailShare>& good) {
  FanOut found;
  std::vector<double> workers;
  for (double k = 1; k <= 1024; k *= 2) workers.push_back(k);
  if (options.fan_out) workers.push_back(*options.fan_out);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  for (const double k : workers) {
    const bool asked = options.fan_out && *options.fan_out == k;
    const std::vector<double> shares = asked ? options.shares : std::vector<double>{0.5, kSlow};
    found.rows.push_back(fan_out_row(one, k, shares));
  }
  if (!options.slo || !good) return found;
  found.most = std::min(most_workers(good->value, options.slo->share), kMostWorkers);
  found.most_low = std::min(most_workers(good->low, options.slo->share), kMostWorkers);
  found.most_high = most_workers(good->high, options.slo->share);
  return found;
}

std::vector<HedgeRow> hedges(const Percentiles& one, const std::vector<double>& shares,
                             double confidence) {
  std::vector<HedgeBasis> bases;
  for (const double share : shares) {
    // Each of the two must be beyond the square root.
    HedgeBasis basis{.share = share, .factor = one.factor(1 - std::sqrt(1 - share))};
    const double worth = static_cast<double>(one.distribution().count()) / basis.factor;
    if (!one.too_short(basis.factor)) basis.band.emplace(worth, confidence);
    bases.push_back(std::move(basis));
  }
  std::vector<HedgeRow> rows;
  for (const double at : {0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995}) {
    rows.push_back(hedge_row(one, at, bases));
  }
  return rows;
}

std::optional<TailStraggler> straggler(const Percentiles& one) {
  const Distribution& all = one.distribution();
  const double n = static_cast<double>(all.count());
  const double worth = n / one.factor(kSlow);
  const double typical = all.empty() ? 0 : all.quantile(0.5);
  // E[max of K] rests on about n/K samples: at least 20.
  const double most = std::floor(worth / 20);
  constexpr double kFewest = 8;
  if (typical <= 0 || most < kFewest) return std::nullopt;
  std::vector<std::pair<double, double>> slowest;
  for (double k = 1; k <= most && k <= 4096; k *= 2) {
    slowest.emplace_back(k, expected_slowest(all, k) / typical - 1);
  }
  TailStraggler best{.most_workers = slowest.back().first, .miss = kUnbounded};
  for (double p = 0.5; p >= 0.1 / most; p /= 1.05) {
    double top = 0, bottom = 0;
    for (const auto& [k, delay] : slowest) {
      top += chance_any(p, k) * delay;
      bottom += chance_any(p, k) * chance_any(p, k);
    }
    const double delay = std::max(0.0, top / bottom);
    double miss = 0;
    for (const auto& [k, seen] : slowest) {
      miss = std::max(miss, std::fabs(delay * chance_any(p, k) - seen) / (1 + seen));
    }
    if (miss < best.miss) best = {{p, delay}, best.most_workers, miss};
  }
  if (best.law.delay <= 0) return std::nullopt;  // none is slower
  return best;
}

Together together(const std::vector<LatencySet>& sets, const std::optional<Slo>& slo,
                  double confidence) {
  Together found;
  found.share = slo ? slo->share : kSlow;
  const std::size_t n = sets[0].samples.size();
  found.requests = n;
  std::vector<double> limits;
  for (const LatencySet& set : sets) limits.push_back(Distribution(set).quantile(kSlow));
  LatencySet slowest, any_slow;
  for (std::size_t i = 0; i < n; ++i) {
    double most = 0;
    bool slow = false;
    for (std::size_t k = 0; k < sets.size(); ++k) {
      most = std::max(most, sets[k].samples[i]);
      slow = slow || sets[k].samples[i] > limits[k];
    }
    slowest.samples.push_back(most);
    any_slow.samples.push_back(slow ? 1 : 0);
    found.slow_together += slow ? 1 : 0;
  }
  found.slow_together /= static_cast<double>(n);
  // Of the samples themselves: not 0.99, where many are equal to p99.
  double none = 1;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    none *=
        1 - static_cast<double>(Distribution(sets[k]).above(limits[k])) / static_cast<double>(n);
  }
  found.slow_expected = 1 - none;
  const Percentiles measured(slowest, confidence);
  const TailPercentile at = measured.at(found.share);
  if (slo) found.slo = measured.verdict(at, slo->limit);
  found.measured = at.value;
  found.low = at.low;
  found.high = at.high;
  const Percentiles slow(any_slow, confidence);
  const double worth = static_cast<double>(n) /
                       std::max(slow.factor(1 - found.slow_together), measured.factor(kSlow));
  const TailShare range = share_interval(found.slow_together * worth, worth, confidence);
  found.slow_low = range.low;
  found.slow_high = range.high;
  found.dependent = found.slow_expected < range.low || found.slow_expected > range.high;
  // Independent: the product of all their distributions.
  std::vector<std::vector<double>> sorted;
  for (const LatencySet& set : sets) {
    sorted.push_back(set.samples);
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  const auto below = [&](double value) {
    double product = 1;
    for (const auto& one : sorted) {
      product *=
          static_cast<double>(std::upper_bound(one.begin(), one.end(), value) - one.begin()) /
          static_cast<double>(n);
    }
    return product;
  };
  std::vector<double> every;
  for (const auto& one : sorted) every.insert(every.end(), one.begin(), one.end());
  std::sort(every.begin(), every.end());
  found.independent = *std::partition_point(
      every.begin(), every.end() - 1, [&](double value) { return below(value) < found.share; });
  return found;
}

}  // namespace kstar::tail
