#pragma once

#include <span>

#include "kstar/estimate.h"
#include "kstar/stats.h"
#include "stats/spread.h"

/// The methods behind kstar::estimate_ratio. Each gets checked samples, at least two a side, and
/// fills point, standard error and ends; what all have in common is filled in by the caller.
namespace kstar::stats {

/// A mean and its scatter.
struct Side {
  double mean = 0;
  Spread spread;
};

/// Two independent groups with positive means, on the logarithmic scale.
Estimate welch_log_ratio(const Side& a, const Side& b, double confidence);

/// Two independent groups, the mean of the denominator not zero.
Estimate fieller_ratio(const Side& numerator, const Side& denominator, double confidence);

/// Blocks: a[i] and b[i] belong together. Positive means. `correlated`: a block resembles the one
/// before it.
Estimate paired_ratio(std::span<const double> a, std::span<const double> b, bool correlated,
                      double confidence);

/// Percentiles of resampled ratios. Positive samples.
Estimate bootstrap_ratio(std::span<const double> a, std::span<const double> b,
                         const RatioOptions& options);

/// The degrees of freedom of the sum of two estimated variances.
double welch_degrees(const Spread& a, const Spread& b);

/// All a / b that means with these variances do not contradict at `critical` standard errors.
/// Both ends are infinite when that set has no bound.
struct RatioLimits {
  double low = 0;
  double high = 0;
};
RatioLimits fieller_limits(double mean_a, double variance_a, double mean_b, double variance_b,
                           double critical);

}  // namespace kstar::stats
