#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/spread.h"

namespace kstar {

namespace {

// m +- t s / sqrt(n), t with n - 1 degrees of freedom. Student, The probable error of a mean,
// Biometrika 6 (1908). kNormal has z in place of t, kEffectiveSample another spread.
Estimate interval_of(std::span<const double> samples, const stats::Moments& moments,
                     const MeanOptions& options) {
  const bool correlated = options.method == IntervalMethod::kEffectiveSample;
  const stats::Spread spread =
      correlated ? stats::correlated_spread(samples, moments) : stats::independent_spread(moments);
  const double critical = options.method == IntervalMethod::kNormal
                              ? stats::normal_critical(options.confidence)
                              : stats::student_t_critical(options.confidence, spread.degrees);
  const double error = std::sqrt(spread.variance);
  return Estimate{.point = moments.mean,
                  .standard_error = error,
                  .low = moments.mean - critical * error,
                  .high = moments.mean + critical * error,
                  .confidence = options.confidence,
                  .n = moments.n,
                  .method = options.method,
                  .scope = options.scope,
                  .degrees = options.method == IntervalMethod::kNormal ? 0 : spread.degrees};
}

Result<void> check_method(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::kStudentT:
    case IntervalMethod::kNormal:
    case IntervalMethod::kEffectiveSample:
      return {};
    default:
      return fail(expected("method", "student_t, normal or effective_sample for a mean",
                           to_string(method)));
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
  KSTAR_CHECK(stats::check_samples("samples", samples));
  KSTAR_CHECK(stats::check_confidence(options.confidence));
  KSTAR_CHECK(check_method(options.method));
  const stats::Moments moments = stats::moments(samples);
  if (moments.n == 1) return stats::no_interval(moments.mean, 1, options.confidence, options.scope);
  return interval_of(samples, moments, options);
}

Result<Estimate> estimate_harmonic_mean(std::span<const double> rates, const MeanOptions& options) {
  KSTAR_CHECK(stats::check_positive("rates", rates));
  const auto reciprocals = mapped(rates, [](double rate) { return 1 / rate; });
  return estimate_mean(reciprocals, options).map(reciprocal);
}

Result<Estimate> estimate_geometric_mean(std::span<const double> ratios,
                                         const MeanOptions& options) {
  KSTAR_CHECK(stats::check_positive("ratios", ratios));
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

double student_t_reach(double confidence, double degrees) {
  return stats::student_t_critical(confidence, degrees);
}

}  // namespace kstar
