#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"

/// Statistics over plain numbers. Nothing here knows what was measured, and nothing is random
/// without a seed. Wrong input (no samples, NaN, a confidence of 95) is an Error, never a number.
namespace kstar {

/// Samples, described. What needs more than one sample is NaN when there is one.
struct Summary {
  std::size_t n = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< with n - 1
  double median = 0;              ///< of an even number, the mean of the two in the middle
  double min = 0;
  double max = 0;
};

KSTAR_EXPORT Result<Summary> summarize(std::span<const double> samples);

/// Of at least one value.
KSTAR_EXPORT double mean_of(std::span<const double> values);
/// Of at least one value; of an even number, the mean of the two in the middle.
KSTAR_EXPORT double median_of(std::vector<double> values);
/// Of an even number, the larger of the two: always one of the values.
KSTAR_EXPORT double upper_median_of(std::vector<double> values);

/// How an interval around a mean is made.
struct MeanOptions {
  /// kStudentT: samples are independent.
  /// kNormal: the same with the normal quantile, 1.96 std / sqrt(n). It covers 81% with 3 samples.
  /// kEffectiveSample: samples in the order they were taken, correlated with their neighbours.
  IntervalMethod method = IntervalMethod::kStudentT;

  double confidence = kConfidence;  ///< strictly between 0 and 1
  Scope scope = Scope::kOneSession;
};

/// The mean of the samples.
KSTAR_EXPORT Result<Estimate> estimate_mean(std::span<const double> samples,
                                            const MeanOptions& options = {});

/// The median, between two order statistics: the narrowest such pair, the same number of samples
/// outside on both sides, that has the confidence. Fewer than 6 samples cannot reach 95%: then it
/// is the range of all samples, and `confidence` in the result says what that has. The standard
/// error is McKean and Schrader's, from the same pair.
KSTAR_EXPORT Result<Estimate> estimate_median(std::span<const double> samples,
                                              double confidence = kConfidence,
                                              Scope scope = Scope::kOneSession);

/// The harmonic mean: the mean of rates (work / second) over equal work. The interval is that of
/// the reciprocals' mean, turned over; where that one reaches zero, `high` is infinite.
KSTAR_EXPORT Result<Estimate> estimate_harmonic_mean(std::span<const double> rates,
                                                     const MeanOptions& options = {});

/// The geometric mean: the mean of ratios, the same whichever side is the base. The interval is
/// that of the logarithms' mean. Ratios are never averaged arithmetically.
KSTAR_EXPORT Result<Estimate> estimate_geometric_mean(std::span<const double> ratios,
                                                      const MeanOptions& options = {});

/// How an interval around a ratio of two means is made.
struct RatioOptions {
  /// kWelchLog: two independent groups with positive means; always a positive interval.
  /// kWelchLogEffective: the same, each side in the order it was taken and correlated in time.
  /// kFieller: two independent groups of either sign. Infinite on both ends when the denominator's
  ///   own interval holds zero: the set of ratios then has no bound.
  /// kPaired: sample i of both sides comes from block i; what a block shares cancels.
  /// kPairedEffective: the same, blocks in the order they were made and correlated in time.
  /// kBootstrap: for comparison with other tools only. It covers about 80% with 3 samples.
  IntervalMethod method = IntervalMethod::kWelchLog;

  double confidence = kConfidence;  ///< strictly between 0 and 1
  Scope scope = Scope::kOneSession;

  std::size_t resamples = 2000;  ///< kBootstrap only; at least 100
  std::uint64_t seed = 1;        ///< kBootstrap only
};

/// mean(numerator) / mean(denominator), for example the speedup T(1) / T(K).
KSTAR_EXPORT Result<Estimate> estimate_ratio(std::span<const double> numerator,
                                             std::span<const double> denominator,
                                             const RatioOptions& options = {});

/// The ratio of two independent estimates above zero, on the logarithmic scale with Welch's degrees
/// of freedom: what samples of both sides would give, where each side's noise is known better than
/// by its own samples. The method is that of both sides, or kWelchLog. Several sessions are behind
/// it where both sides have them.
KSTAR_EXPORT Result<Estimate> estimate_ratio(const Estimate& numerator, const Estimate& denominator,
                                             double confidence = kConfidence);

/// The experimentally determined serial fraction of a speedup on `workers` workers,
///   e = (1/S - 1/K) / (1 - 1/K).
/// Negative where the speedup is more than K; nothing is clamped. One worker has none: an Error.
KSTAR_EXPORT Result<double> karp_flatt(double speedup, double workers);

/// The same with the ends of the interval, which change places. An end of the speedup's interval
/// at or below zero maps to infinity.
KSTAR_EXPORT Result<Estimate> karp_flatt(const Estimate& speedup, double workers);

/// The lag-`lag` autocorrelation as NIST defines it: with m the mean of all samples,
///   r = sum_{i=1}^{n-lag} (x_i - m)(x_{i+lag} - m) / sum_{i=1}^{n} (x_i - m)^2.
/// Equal samples have none: an Error.
KSTAR_EXPORT Result<double> autocorrelation(std::span<const double> samples, std::size_t lag = 1);

/// How many independent samples would tell the mean as well as these, in the order they were
/// taken; from 1 to n. Never more than n: correlation that helps is not believed.
KSTAR_EXPORT Result<double> effective_sample_size(std::span<const double> samples);

/// The t with P(|T| <= t) = confidence, T of Student's distribution.
KSTAR_EXPORT double student_t_reach(double confidence, double degrees);

/// P(|T| > |t|), likewise.
KSTAR_EXPORT double student_t_beyond(double t, double degrees);

}  // namespace kstar
