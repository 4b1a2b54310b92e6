#pragma once

#include "kstar/tail.h"
#include "tail/correlation.h"
#include "tail/distribution.h"

/// Percentiles with intervals that hold on correlated latencies.
namespace kstar::tail {

/// One file's latencies, with how much they are correlated at each percentile.
class Percentiles {
 public:
  /// The set must outlive it.
  Percentiles(const LatencySet& set, double confidence);
  Percentiles(const Percentiles&) = delete;
  Percentiles& operator=(const Percentiles&) = delete;

  const Distribution& distribution() const { return distribution_; }
  /// With its interval.
  TailPercentile at(double share) const;
  /// The share of latencies at or below a value, times `part`, that at most one independent sample
  /// in `factor` shows.
  TailShare below(double value, double factor, double part = 1) const;
  /// Whether the percentile `at` is within a limit, if only `answered` of all requests have a
  /// latency. A larger limit never has a worse verdict.
  SloVerdict verdict(const TailPercentile& at, double limit, double answered = 1) const;
  /// How many samples are worth one independent sample, where this share is at or below.
  double factor(double share) const { return correlation_.factor(share); }
  /// There is no order in time that could tell.
  bool unordered() const { return correlation_.unordered(); }
  /// The measurement is too short to say anything about independent samples.
  bool too_short(double factor) const;

 private:
  double batch_factor() const;

  double confidence_;
  Distribution distribution_;
  Correlation correlation_;
};

/// A share k/n of independent trials (Clopper and Pearson); n need not be whole.
TailShare share_interval(double successes, double trials, double confidence);

}  // namespace kstar::tail
