#pragma once

#include <cstddef>
#include <vector>

#include "kstar/latency.h"
#include "tail/distribution.h"

/// How many latencies are worth one independent one: slow ones come together.
namespace kstar::tail {

class Correlation {
 public:
  Correlation() = default;
  Correlation(const LatencySet& set, const Distribution& distribution);

  /// At most so many samples (with 90% confidence) are worth one independent sample, where this
  /// share is at or below; 1: no correlation was found.
  double factor(double share) const;
  /// There is no order in time that could tell.
  bool unordered() const { return unordered_; }
  /// Latencies above `value` come in too few stretches of time to tell how often such times are.
  bool few_events(double value) const;

 private:
  double own_factor(double share, double strong, double weak) const;
  double lag_factor(double share) const;

  const LatencySet* set_ = nullptr;
  const Distribution* distribution_ = nullptr;
  bool unordered_ = true;
  double lags_ = 1;                                               ///< samples, by their ranks
  double median_factor_ = 1, high_factor_ = 1, tail_factor_ = 1;  ///< of p50, p90, p99
};

/// Samples per independent sample of a series that forgets exponentially.
double forgetting(const std::vector<float>& series);

/// Of sixteen stretches of time.
inline constexpr std::size_t kFewestBatches = 16;

}  // namespace kstar::tail
