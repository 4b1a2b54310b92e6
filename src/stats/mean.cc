#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kstar/stats.h"
#include "stats/autocorrelation.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/moments.h"

namespace kstar {

namespace {

/// How far the mean scatters, and how many standard errors the interval reaches.
struct Spread {
  double error = 0;
  double critical = 0;
};

// m +- t s / sqrt(n), t with n - 1 degrees of freedom. Student, The probable error of a mean,
// Biometrika 6 (1908).
Spread student_spread(const stats::Moments& moments, double confidence) {
  return {std::sqrt(moments.variance_of_mean()),
          stats::student_t_critical(confidence, moments.count() - 1)};
}

Spread normal_spread(const stats::Moments& moments, double confidence) {
  return {std::sqrt(moments.variance_of_mean()), stats::normal_critical(confidence)};
}

// Correlated samples scatter around their own mean less than around the true one:
//   E[s^2] = sigma^2 (n / (n - 1)) (1 - 1 / n_eff),  and Var(m) = sigma^2 / n_eff, so
//   Var(m) is estimated by s^2 (n - 1) / (n (n_eff - 1)).
// Zieba, Effective number of observations and unbiased estimators of variance for autocorrelated
// data, Metrology and Measurement Systems 17 (2010).
Spread effective_spread(std::span<const double> samples, const stats::Moments& moments,
                        double confidence) {
  const double degrees = stats::effective_sample_size(samples, moments.mean) - 1;
  const double n = moments.count();
  return {std::sqrt(moments.variance * (n - 1) / (n * degrees)),
          // Below one degree of freedom t explodes, which would say more than is known.
          stats::student_t_critical(confidence, std::max(degrees, 1.0))};
}

Result<Spread> spread_of(std::span<const double> samples, const stats::Moments& moments,
                         const MeanOptions& options) {
  switch (options.method) {
    case IntervalMethod::kStudentT:
      return student_spread(moments, options.confidence);
    case IntervalMethod::kNormal:
      return normal_spread(moments, options.confidence);
    case IntervalMethod::kEffectiveSample:
      return effective_spread(samples, moments, options.confidence);
    default:
      return fail(expected("method", "student_t, normal or effective_sample for a mean",
                           to_string(options.method)));
  }
}

/// An estimate of 1/x from one of x, which is known to be positive: the ends change places.
Estimate reciprocal(const Estimate& estimate) {
  Estimate result = estimate;
  result.point = 1 / estimate.point;
  result.standard_error = estimate.standard_error / (estimate.point * estimate.point);
  if (estimate.method == IntervalMethod::kNone) return result;
  result.low = 1 / estimate.high;
  result.high = estimate.low > 0 ? 1 / estimate.low : std::numeric_limits<double>::infinity();
  return result;
}

template <typename Function>
std::vector<double> mapped(std::span<const double> samples, Function function) {
  std::vector<double> result(samples.size());
  std::transform(samples.begin(), samples.end(), result.begin(), function);
  return result;
}

}  // namespace

Result<Estimate> estimate_mean(std::span<const double> samples, const MeanOptions& options) {
  if (auto checked = stats::check_samples("samples", samples); !checked) {
    return fail(checked.error());
  }
  if (auto checked = stats::check_confidence(options.confidence); !checked) {
    return fail(checked.error());
  }
  const stats::Moments moments = stats::moments(samples);
  const Result<Spread> spread = spread_of(samples, moments, options);
  if (!spread) return fail(spread.error());
  if (moments.n == 1) return stats::no_interval(moments.mean, 1, options.confidence, options.scope);
  const double half = spread->critical * spread->error;
  return Estimate{.point = moments.mean,
                  .standard_error = spread->error,
                  .low = moments.mean - half,
                  .high = moments.mean + half,
                  .confidence = options.confidence,
                  .n = moments.n,
                  .method = options.method,
                  .scope = options.scope};
}

Result<Estimate> estimate_harmonic_mean(std::span<const double> rates, const MeanOptions& options) {
  if (auto checked = stats::check_positive("rates", rates); !checked) return fail(checked.error());
  const auto reciprocals = mapped(rates, [](double rate) { return 1 / rate; });
  return estimate_mean(reciprocals, options).map(reciprocal);
}

Result<Estimate> estimate_geometric_mean(std::span<const double> ratios,
                                         const MeanOptions& options) {
  if (auto checked = stats::check_positive("ratios", ratios); !checked) {
    return fail(checked.error());
  }
  const auto logarithms = mapped(ratios, [](double ratio) { return std::log(ratio); });
  return estimate_mean(logarithms, options).map([](Estimate estimate) {
    estimate.point = std::exp(estimate.point);
    estimate.standard_error *= estimate.point;
    if (estimate.method == IntervalMethod::kNone) return estimate;
    estimate.low = std::exp(estimate.low);
    estimate.high = std::exp(estimate.high);
    return estimate;
  });
}

}  // namespace kstar
