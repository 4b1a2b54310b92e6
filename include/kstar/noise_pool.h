#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"

/// The noise of all K comes from one machine. A few runs at one K tell its scatter badly and its
/// correlation hardly at all; the runs at all K together tell both well enough. docs/statistics.md
/// has the formulas.
namespace kstar {

/// What the runs at every K say together. Variances are relative: of time over the K's own mean.
struct NoisePool {
  std::size_t groups = 0;  ///< K with at least two runs
  std::size_t runs = 0;    ///< at those K

  /// (s / mean)^2, the average over the K.
  double relative_variance = 0;

  /// How much the relative variances of the K really differ: the squared coefficient of variation
  /// of the true ones. Zero when sampling alone explains what is seen; then every K gets the
  /// average.
  double variance_spread = 0;

  /// Excess kurtosis within a K, zero or more. Rare slow runs make it large: then the scatter at
  /// one K says little, however many runs there are.
  double kurtosis = 0;

  double correlation = 0;         ///< of a run with the next one at the same K
  double correlation_weight = 0;  ///< one over the variance of `correlation`
  double correlation_spread = 0;  ///< the variance of the true correlations between the K

  /// How many times more the mean scatters than the lag-1 correlation alone explains; 1 or more.
  double persistence = 1;

  /// How much that really differs between the K: the squared coefficient of variation. A long
  /// series keeps a part of its own, which may be below 1.
  double persistence_spread = 0;
};

/// `groups` holds the runs at each K, in the order they were made. A K with fewer than two runs
/// adds nothing. Times are above zero: otherwise an Error.
KSTAR_EXPORT Result<NoisePool> pool_noise(std::span<const std::vector<double>> groups);

/// The mean of `samples`, which are one of the groups, with IntervalMethod::kPooled: the interval
/// for runs that are correlated in time and were looked at while they were made. A pool of that
/// one group alone is allowed, and gives a wider interval.
KSTAR_EXPORT Result<Estimate> estimate_pooled_mean(std::span<const double> samples,
                                                   const NoisePool& pool,
                                                   double confidence = kConfidence,
                                                   Scope scope = Scope::kOneSession);

}  // namespace kstar
