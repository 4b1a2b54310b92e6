#pragma once

#include "kstar/tail.h"
#include "tail/distribution.h"

/// Percentiles with intervals that hold on correlated latencies.
namespace kstar::tail {

/// One file's latencies, with how much they are correlated at each percentile.
class Percentiles {
 public:
  Percentiles(const LatencySet& set, double confidence);

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
  double factor(double share) const;
  /// There is no order in time that could tell.
  bool unordered() const { return unordered_; }
  /// The measurement is too short to say anything about independent samples.
  bool too_short(double factor) const;
  /// Latencies above `value` come in too few stretches of time to tell how often such times are.
  bool few_events(double value) const;

 private:
  double own_factor(double share, double level) const;
  double batch_factor() const;

  const LatencySet& set_;
  double confidence_;
  Distribution distribution_;
  bool unordered_ = false;
  double median_factor_ = 1, high_factor_ = 1, tail_factor_ = 1;  ///< of p50, p90, p99
};

/// A share k/n of independent trials (Clopper and Pearson); n need not be whole.
TailShare share_interval(double successes, double trials, double confidence);

}  // namespace kstar::tail
