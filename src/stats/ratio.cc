#include "stats/ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/random.h"
#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/noise.h"

namespace kstar::stats {

namespace {

/// The spread of log(mean): relative to the mean, by the delta method.
Spread log_spread(const Side& side) {
  const double relative = std::sqrt(side.spread.variance) / side.mean;
  return {.variance = relative * relative, .degrees = side.spread.degrees};
}

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

Spread correlated_differences(std::vector<double> differences) {
  // A pool knows times, which are above zero, relative to their mean: 1 + d has the mean 1.
  double least = 0;
  for (const double difference : differences) least = std::min(least, difference);
  const double shift = 1 - 2 * least;
  for (double& difference : differences) difference += shift;
  const NoisePool pool = pool_noise(std::vector<std::vector<double>>{differences}).value();
  const PooledNoise noise = pooled_noise(differences, moments(differences), pool);
  const auto n = static_cast<double>(differences.size());
  // Of a handful of pairs the correlation's own error leaves one degree of freedom, and an interval
  // of no use; two hold the promise as well (docs/statistics.md).
  const double least_degrees = std::min((n - 1) / 2, 2.0);
  return {.variance = noise.variance_of_mean(n) * shift * shift,
          .degrees = std::max(noise.degrees, least_degrees)};
}

double resampled_mean(std::span<const double> samples, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sum += samples[static_cast<std::size_t>(random.below(samples.size()))];
  }
  return sum / static_cast<double>(samples.size());
}

/// Linear between the order statistics: definition 7 of Hyndman and Fan, The American Statistician
/// 50 (1996).
double quantile_of_sorted(std::span<const double> sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace

double welch_degrees(const Spread& a, const Spread& b) {
  const double total = a.variance + b.variance;
  // No scatter at all: any number does, for it is multiplied by zero.
  if (total == 0) return a.degrees + b.degrees;
  const double share = a.variance / total;  // shares, so that no square underflows
  return 1 / (share * share / a.degrees + (1 - share) * (1 - share) / b.degrees);
}

// log(a/b) +- t sqrt(v_a + v_b),  v = (s / m)^2 / n by the delta method, and back by exp. The
// degrees of freedom of t are, d the degrees of freedom of either side, n - 1,
//   (v_a + v_b)^2 / (v_a^2 / d_a + v_b^2 / d_b).
// Welch, The generalization of Student's problem when several different population variances are
// involved, Biometrika 34 (1947); Satterthwaite, Biometrics Bulletin 2 (1946).
Estimate welch_log_ratio(const Side& a, const Side& b, double confidence) {
  const Spread log_a = log_spread(a);
  const Spread log_b = log_spread(b);
  return log_interval(a.mean / b.mean, std::sqrt(log_a.variance + log_b.variance),
                      welch_degrees(log_a, log_b), confidence);
}

// The ratios rho that the data do not contradict: (a - rho b)^2 <= t^2 (v_a + rho^2 v_b), v the
// variances of the means. With r = a/b and g = t^2 v_b / b^2 the ends are
//   (r +- (t / |b|) sqrt(v_a (1 - g) + r^2 v_b)) / (1 - g)       for g < 1.
// With g >= 1 the denominator may be zero: the set is the whole line, or all of it but a gap.
// Fieller, Some problems in interval estimation, JRSS B 16 (1954). Unequal variances: t has
// Welch's degrees of freedom at rho = r, as in Tamhane and Logan, Finding the maximum safe dose
// level for heteroscedastic data, Journal of Biopharmaceutical Statistics 14 (2004).
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

// log(a/b) +- t sqrt(v),  t with n - 1 degrees of freedom and, by the delta method,
//   v = (s_a^2 / m_a^2 + s_b^2 / m_b^2 - 2 s_ab / (m_a m_b)) / n.
// That is the variance of d_i = a_i / m_a - b_i / m_b, over n: computed so, nothing cancels.
// Cochran, Sampling Techniques (3rd edition, 1977), section 6.3, on ratios of paired means.
//
// Where d_i resembles d_{i-1} the variance is that of a pool with this one series: s^2 and its
// lag-1 correlation without their bias, the correlation drawn to what machines show, and the errors
// of both in the degrees of freedom.
Estimate paired_ratio(std::span<const double> a, std::span<const double> b, bool correlated,
                      double confidence) {
  const double mean_a = moments(a).mean;
  const double mean_b = moments(b).mean;
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] / mean_a - b[i] / mean_b;
  const Spread spread = correlated ? correlated_differences(std::move(differences))
                                   : independent_spread(moments(differences));
  return log_interval(mean_a / mean_b, std::sqrt(spread.variance), spread.degrees, confidence);
}

// Draw as many samples as there are, with replacement, from each side; take the ratio of the
// means; repeat; the interval lies between two percentiles. Efron, Bootstrap methods: another look
// at the jackknife, Annals of Statistics 7 (1979); Efron and Tibshirani, An Introduction to the
// Bootstrap (1993), chapter 13.
//
// With n samples a resampled mean scatters by sqrt((n - 1) / n) of what it should, and normal
// instead of t percentiles are taken: with 3 samples it covers 80% where 95% was asked for.
Estimate bootstrap_ratio(std::span<const double> a, std::span<const double> b,
                         const RatioOptions& options) {
  Random random(options.seed);
  std::vector<double> ratios(options.resamples);
  for (double& ratio : ratios) {
    const double numerator = resampled_mean(a, random);
    ratio = numerator / resampled_mean(b, random);
  }
  std::sort(ratios.begin(), ratios.end());
  const double tail = (1 - options.confidence) / 2;
  Estimate result;
  result.point = moments(a).mean / moments(b).mean;
  result.standard_error = std::sqrt(moments(ratios).variance);
  result.low = quantile_of_sorted(ratios, tail);
  result.high = quantile_of_sorted(ratios, 1 - tail);
  return result;
}

}  // namespace kstar::stats

namespace kstar {

namespace {

constexpr std::size_t kFewestResamples = 100;

using Samples = std::span<const double>;

Result<void> check_positive_mean(std::string_view where, double mean) {
  if (mean > 0) return {};
  return fail(expected(where, "samples with a mean above zero", shortest(mean)));
}

/// What every method needs of both sides.
Result<void> check_sides(Samples a, Samples b, double confidence) {
  if (auto checked = stats::check_samples("numerator", a); !checked) return checked;
  if (auto checked = stats::check_samples("denominator", b); !checked) return checked;
  return stats::check_confidence(confidence);
}

Result<void> check_blocks(Samples a, Samples b) {
  if (a.size() == b.size()) return {};
  return fail(expected("denominator", std::to_string(a.size()) + " samples, one per block",
                       std::to_string(b.size())));
}

Result<void> check_bootstrap(Samples a, Samples b, std::size_t resamples) {
  if (auto checked = stats::check_positive("numerator", a); !checked) return checked;
  if (auto checked = stats::check_positive("denominator", b); !checked) return checked;
  if (resamples >= kFewestResamples) return {};
  return fail(expected("resamples", "at least " + std::to_string(kFewestResamples),
                       std::to_string(resamples)));
}

/// What the one method needs.
Result<void> check_ratio_method(Samples a, Samples b, double mean_a, double mean_b,
                                const RatioOptions& options) {
  switch (options.method) {
    case IntervalMethod::kBootstrap:
      return check_bootstrap(a, b, options.resamples);
    case IntervalMethod::kFieller:
      if (mean_b != 0) return {};
      return fail(expected("denominator", "samples whose mean is not zero", "0"));
    case IntervalMethod::kPaired:
    case IntervalMethod::kPairedEffective:
      if (auto checked = check_blocks(a, b); !checked) return checked;
      [[fallthrough]];
    case IntervalMethod::kWelchLog:
    case IntervalMethod::kWelchLogEffective:
      if (auto checked = check_positive_mean("numerator", mean_a); !checked) return checked;
      return check_positive_mean("denominator", mean_b);
    default:
      return fail(expected(
          "method",
          "welch_log, welch_log_effective, fieller, paired, paired_effective or bootstrap for a "
          "ratio",
          to_string(options.method)));
  }
}

stats::Side side_of(Samples samples, const stats::Moments& moments, IntervalMethod method) {
  const bool correlated = method == IntervalMethod::kWelchLogEffective;
  return {moments.mean, correlated ? stats::correlated_spread(samples, moments)
                                   : stats::independent_spread(moments)};
}

Estimate ratio_interval(Samples a, Samples b, const stats::Side& side_a, const stats::Side& side_b,
                        const RatioOptions& options) {
  switch (options.method) {
    case IntervalMethod::kFieller:
      return stats::fieller_ratio(side_a, side_b, options.confidence);
    case IntervalMethod::kPaired:
      return stats::paired_ratio(a, b, false, options.confidence);
    case IntervalMethod::kPairedEffective:
      return stats::paired_ratio(a, b, true, options.confidence);
    case IntervalMethod::kBootstrap:
      return stats::bootstrap_ratio(a, b, options);
    default:
      return stats::welch_log_ratio(side_a, side_b, options.confidence);
  }
}

Result<void> check_side(std::string_view where, const Estimate& estimate) {
  if (std::isfinite(estimate.point) && estimate.point > 0) return {};
  return fail(expected(where, "an estimate above zero", shortest(estimate.point)));
}

stats::Spread log_spread(const Estimate& estimate) {
  const double relative = estimate.standard_error / estimate.point;
  // No degrees: nothing is behind it that could be wrong, as a normal interval or an exact number.
  constexpr double kMany = 1e9;
  return {.variance = relative * relative,
          .degrees = estimate.degrees > 0 ? estimate.degrees : kMany};
}

Scope common_scope(const Estimate& a, const Estimate& b) {
  const bool several = a.scope == Scope::kSeveralSessions && b.scope == Scope::kSeveralSessions;
  return several ? Scope::kSeveralSessions : Scope::kOneSession;
}

}  // namespace

Result<Estimate> estimate_ratio(std::span<const double> numerator,
                                std::span<const double> denominator, const RatioOptions& options) {
  KSTAR_CHECK(check_sides(numerator, denominator, options.confidence));
  const stats::Moments a = stats::moments(numerator);
  const stats::Moments b = stats::moments(denominator);
  KSTAR_CHECK(check_ratio_method(numerator, denominator, a.mean, b.mean, options));
  const std::size_t n = std::min(a.n, b.n);
  if (n == 1) return stats::no_interval(a.mean / b.mean, n, options.confidence, options.scope);
  Estimate estimate = ratio_interval(numerator, denominator, side_of(numerator, a, options.method),
                                     side_of(denominator, b, options.method), options);
  estimate.confidence = options.confidence;
  estimate.n = n;
  estimate.method = options.method;
  estimate.scope = options.scope;
  return estimate;
}

// log(a/b) +- t sqrt(v_a + v_b) as in welch_log_ratio(), with the v and the degrees of freedom that
// the two estimates have already.
Result<Estimate> estimate_ratio(const Estimate& numerator, const Estimate& denominator,
                                double confidence) {
  KSTAR_CHECK(check_side("numerator", numerator));
  KSTAR_CHECK(check_side("denominator", denominator));
  KSTAR_CHECK(stats::check_confidence(confidence));
  const double point = numerator.point / denominator.point;
  const std::size_t n = std::min(numerator.n, denominator.n);
  const Scope scope = common_scope(numerator, denominator);
  const stats::Spread a = log_spread(numerator), b = log_spread(denominator);
  if (!std::isfinite(a.variance + b.variance)) {
    return stats::no_interval(point, n, confidence, scope);
  }
  Estimate ratio = stats::log_interval(point, std::sqrt(a.variance + b.variance),
                                       stats::welch_degrees(a, b), confidence);
  ratio.confidence = confidence;
  ratio.n = n;
  ratio.method =
      numerator.method == denominator.method ? numerator.method : IntervalMethod::kWelchLog;
  ratio.scope = scope;
  return ratio;
}

double student_t_beyond(double t, double degrees) {
  return 2 * stats::student_t_tail(std::fabs(t), degrees);
}

}  // namespace kstar
