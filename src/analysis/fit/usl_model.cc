#include "analysis/fit/usl_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/try.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

double below(const UslFit& fit, double k) {
  return 1 + fit.contention.point * (k - 1) + fit.coherency.point * k * (k - 1);
}

double rate_at(const UslFit& fit, double k) {
  return fit.rate.point * k / below(fit, k);
}

/// The standard error of the fitted throughput at K, by the delta method.
double error_at(const UslFit& fit, double k) {
  const double x = rate_at(fit, k);
  const double b = below(fit, k);
  const std::array<double, 3> slope = {-x * (k - 1) / b, -x * k * (k - 1) / b, k / b};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) sum += slope[i] * fit.covariance[i][j] * slope[j];
  }
  return std::sqrt(sum);
}

/// On the logarithm, so that no throughput is negative.
Estimate around(double point, double relative_error, double t, double confidence, std::size_t n) {
  const double reach = std::isfinite(relative_error) ? std::exp(t * relative_error)
                                                     : std::numeric_limits<double>::infinity();
  return {.point = point,
          .standard_error = point * relative_error,
          .low = point / reach,
          .high = point * reach,
          .confidence = confidence,
          .n = n,
          .method = IntervalMethod::kStudentT};
}

/// `work` is done in T(k), by a throughput of x.
PredictedWorkers predicted_at(const UslFit& fit, double base, double k, double work, double largest,
                              double confidence) {
  const double x = rate_at(fit, k);
  const double error = error_at(fit, k) / x;
  const double base_error = error_at(fit, base) / rate_at(fit, base);
  const double t =
      fit.degrees > 0 ? student_t_reach(confidence, static_cast<double>(fit.degrees)) : 0;
  PredictedWorkers predicted;
  predicted.workers = k;
  predicted.extrapolated = k > largest;
  predicted.time = around(work / x, error, t, confidence, fit.rate.n);
  const double both = k == base ? 0 : std::hypot(error, base_error);
  predicted.speedup = around(x / rate_at(fit, base), both, t, confidence, fit.rate.n);
  predicted.efficiency = scaled(predicted.speedup, base / k);
  return predicted;
}

}  // namespace

Result<ModelFit> fit_usl_model(const Curve& curve, const FitOptions& options) {
  std::vector<CurvePoint> points = curve.points;
  std::sort(points.begin(), points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.workers < b.workers; });
  std::vector<double> workers, throughputs;
  for (const CurvePoint& point : points) {
    const double work = curve.regime == Regime::kWeak ? point.workers : 1;
    workers.push_back(point.workers);
    throughputs.push_back(work / point.time);
  }
  KSTAR_TRY(const UslFit fit, fit_usl(workers, throughputs, options.confidence));
  ModelFit result;
  FittedModel model{"usl", "X = g K / (1 + a (K-1) + b K (K-1))", 1, {}, {}};
  model.terms.push_back({"contention", "a", fit.contention, {}, false, false});
  model.terms.push_back({"coherency", "b", fit.coherency, {}, false, false});
  model.terms.push_back({"rate", "g", fit.rate, {}, false, false});
  result.models.push_back(std::move(model));
  const double base = workers.front(), largest = workers.back();
  const auto at = [&](double k) {
    const double work = curve.regime == Regime::kWeak ? k : 1;
    return predicted_at(fit, base, k, work, largest, options.confidence);
  };
  for (const double k : workers) result.fitted.push_back(at(k));
  for (const double k : options.predict) result.predictions.push_back(at(k));
  result.best_workers = fit.peak_workers;
  result.assumptions = {
      "The universal scalability law holds, at the measured K and beyond: its interval does not "
      "allow for any other model.",
      "Throughputs are fitted unweighted."};
  return result;
}

}  // namespace kstar
