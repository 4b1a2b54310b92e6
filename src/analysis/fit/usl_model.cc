#include "analysis/fit/usl_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/fit/mixture.h"
#include "base/random.h"
#include "base/try.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// One pair of the law's parameters.
struct Usl {
  double contention = 0;
  double coherency = 0;

  double below(double k) const { return 1 + contention * (k - 1) + coherency * k * (k - 1); }

  /// The K with E = below(K0) / below(K) at the threshold.
  double bend(double base, double threshold) const {
    const double wanted = below(base) / threshold;
    const double half = (contention - coherency) / 2, rest = wanted + contention - 1;
    if (coherency <= 0) return contention > 0 ? 1 + (wanted - 1) / contention : kNoLimit;
    return (std::sqrt(half * half + coherency * rest) - half) / coherency;
  }

  /// The largest X(K) / X(K0).
  double ceiling(double base) const {
    const double start = base / below(base);
    if (coherency <= 0) return contention > 0 ? 1 / contention / start : kNoLimit;
    const double peak = std::max(base, std::sqrt((1 - contention) / coherency));
    return peak / below(peak) / start;
  }
};

double below(const UslFit& fit, double k) {
  return Usl{fit.contention.point, fit.coherency.point}.below(k);
}

/// Parameters as the fit's covariance scatters them, none below zero; always the same ones.
std::vector<Usl> drawn(const UslFit& fit) {
  constexpr std::size_t kLaws = 1000;
  const auto& c = fit.covariance;
  if (fit.degrees == 0) return {{fit.contention.point, fit.coherency.point}};
  const double own = std::sqrt(std::max(0.0, c[0][0]));
  const double shared = own > 0 ? c[1][0] / own : 0;
  const double rest = std::sqrt(std::max(0.0, c[1][1] - shared * shared));
  Random random(1);
  std::vector<Usl> list;
  for (std::size_t i = 0; i < kLaws; ++i) {
    const double x = random.normal(), y = random.normal();
    list.push_back({std::clamp(fit.contention.point + own * x, 0.0, 1.0),
                    std::max(0.0, fit.coherency.point + shared * x + rest * y)});
  }
  return list;
}

template <typename Answer>
Estimate over(const std::vector<Usl>& laws, double confidence, const Answer& answer) {
  std::vector<double> values;
  for (const Usl& law : laws) values.push_back(answer(law));
  return curves::estimate_of(std::move(values), confidence);
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

/// What the law, fitted without the largest K, would have said about it.
std::optional<ModelHindcast> usl_hindcast(const std::vector<CurvePoint>& points, Regime regime,
                                          const FitOptions& options) {
  constexpr std::size_t kFewest = 5;  // three parameters, and one degree of freedom
  if (points.size() < kFewest) return std::nullopt;
  const CurvePoint& last = points.back();
  const Curve before{.regime = regime, .points = {points.begin(), points.end() - 1}};
  const Result<ModelFit> fit = fit_usl_model(
      before,
      {.confidence = options.confidence, .model = options.model, .predict = {last.workers}});
  if (!fit) return std::nullopt;
  ModelHindcast hindcast{
      .workers = last.workers, .predicted = fit->predictions[0].time, .observed = last.time};
  hindcast.error = hindcast.predicted.point / hindcast.observed - 1;
  hindcast.held =
      hindcast.predicted.low <= hindcast.observed && hindcast.observed <= hindcast.predicted.high;
  return hindcast;
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
  const std::vector<Usl> laws = drawn(fit);
  result.bend = over(laws, options.confidence,
                     [&](const Usl& law) { return law.bend(base, options.threshold); });
  result.ceiling =
      over(laws, options.confidence, [&](const Usl& law) { return law.ceiling(base); });
  result.hindcast = usl_hindcast(points, curve.regime, options);
  result.assumptions = {
      "The universal scalability law holds, at the measured K and beyond: its interval does not "
      "allow for any other model.",
      "Throughputs are fitted unweighted."};
  return result;
}

}  // namespace kstar
