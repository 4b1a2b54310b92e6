#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distributions.h"
#include "stats/ratio.h"

// The ratios rho that the data do not contradict: (a - rho b)^2 <= t^2 (v_a + rho^2 v_b), v the
// variances of the means. With r = a/b and g = t^2 v_b / b^2 the ends are
//   (r +- (t / |b|) sqrt(v_a (1 - g) + r^2 v_b)) / (1 - g)       for g < 1.
// With g >= 1 the denominator may be zero: the set is the whole line, or all of it but a gap.
// Fieller, Some problems in interval estimation, JRSS B 16 (1954). Unequal variances: t has
// Welch's degrees of freedom at rho = r, as in Tamhane and Logan, Finding the maximum safe dose
// level for heteroscedastic data, Journal of Biopharmaceutical Statistics 14 (2004).
namespace kstar::stats {

RatioLimits fieller_limits(double mean_a, double variance_a, double mean_b, double variance_b,
                           double critical) {
  const double ratio = mean_a / mean_b;
  const double relative_a = variance_a / (mean_b * mean_b);
  const double relative_b = variance_b / (mean_b * mean_b);
  const double g = critical * critical * relative_b;
  if (!(g < 1)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {.low = -kInfinity, .high = kInfinity};
  }
  const double half = critical * std::sqrt(relative_a * (1 - g) + ratio * ratio * relative_b);
  return {.low = (ratio - half) / (1 - g), .high = (ratio + half) / (1 - g)};
}

namespace {

/// The same in units of `unit`, so that no square below overflows or vanishes.
Side in_units(const Side& side, double unit) {
  const double error = std::sqrt(side.spread.variance) / unit;
  return {.mean = side.mean / unit,
          .spread = {.variance = error * error, .degrees = side.spread.degrees}};
}

/// A size of the mean and its error that is not zero.
double unit_of(const Side& side) {
  const double unit = std::max(std::fabs(side.mean), std::sqrt(side.spread.variance));
  return unit > 0 ? unit : 1;
}

}  // namespace

Estimate fieller_ratio(const Side& numerator, const Side& denominator, double confidence) {
  const double unit_a = unit_of(numerator), unit_b = unit_of(denominator);
  const Side a = in_units(numerator, unit_a), b = in_units(denominator, unit_b);
  const double ratio = a.mean / b.mean;
  const Spread scaled_b = {.variance = ratio * ratio * b.spread.variance,
                           .degrees = b.spread.degrees};
  const double critical = student_t_critical(confidence, welch_degrees(a.spread, scaled_b));
  const RatioLimits limits =
      fieller_limits(a.mean, a.spread.variance, b.mean, b.spread.variance, critical);
  Estimate result;
  result.point = ratio;
  result.standard_error = std::sqrt(a.spread.variance + scaled_b.variance) / std::fabs(b.mean);
  result.low = limits.low;
  result.high = limits.high;
  result = scaled(result, unit_a / unit_b);
  result.point = numerator.mean / denominator.mean;  // the same, but for its last bit
  return result;
}

}  // namespace kstar::stats
