#include "analysis/fit/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/fit/beliefs.h"
#include "base/try.h"

namespace kstar::curves {

namespace {

/// As many runs of the others as one K's own scatter is worth.
constexpr double kSharedDegrees = 8;
/// With fewer, repeats say nothing.
constexpr double kFewestDegrees = 3;
/// No clock and no machine is better than that.
constexpr double kLeastError = 1e-4;

Result<void> check(const std::vector<CurvePoint>& points) {
  if (points.size() < 2) {
    return fail(expected("models", "times at two K or more", fmt::format("{}", points.size())));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& point = points[i];
    if (!(point.workers >= 1) || !std::isfinite(point.workers)) {
      return fail(expected("models", "K of 1 or more", fmt::format("{}", point.workers)));
    }
    if (!(point.time > 0) || !std::isfinite(point.time)) {
      return fail(expected(fmt::format("K = {}", point.workers), "a time above 0 seconds",
                           fmt::format("{}", point.time)));
    }
    if (i > 0 && points[i - 1].workers == point.workers) {
      return fail(expected("models", "each K once", fmt::format("{}", point.workers)));
    }
  }
  return {};
}

/// The relative variance of one run, and the degrees of freedom behind it.
struct Scatter {
  double variance = 0;
  double degrees = 0;
};

Scatter scatter_of(const CurvePoint& point) {
  const bool known =
      point.runs >= 2 && std::isfinite(point.relative_error) && point.relative_error >= 0;
  if (!known) return {};
  const auto runs = static_cast<double>(point.runs);
  return {point.relative_error * point.relative_error * runs, runs - 1};
}

Scatter scatter_of(const std::vector<CurvePoint>& points) {
  Scatter all;
  for (const CurvePoint& point : points) {
    const Scatter one = scatter_of(point);
    all.variance += one.degrees * one.variance;
    all.degrees += one.degrees;
  }
  if (all.degrees > 0) all.variance /= all.degrees;
  return all;
}

/// What a variance may be that was estimated with so many degrees of freedom.
std::vector<ErrorCase> scales(double degrees) {
  constexpr double kExact = 100;
  if (degrees > kExact) return {ErrorCase{}};
  std::vector<ErrorCase> cases;
  double sum = 0;
  for (const double ratio : {0.6, 0.8, 1.0, 1.3, 1.7, 2.3}) {
    const double log_weight = -degrees * std::log(ratio) - degrees / (2 * ratio * ratio);
    cases.push_back({.scale = ratio * ratio, .log_weight = log_weight});
    sum += std::exp(log_weight + degrees / 2);
  }
  for (ErrorCase& one : cases) one.log_weight += degrees / 2 - std::log(sum);
  return cases;
}

std::vector<ErrorCase> unknown_errors() {
  std::vector<ErrorCase> cases;
  for (const double size : kErrors) {
    cases.push_back({.scale = 1, .added = size * size});
  }
  return cases;
}

}  // namespace

Result<CurveSamples> samples_of(const Curve& curve) {
  std::vector<CurvePoint> points = curve.points;
  std::sort(points.begin(), points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.workers < b.workers; });
  KSTAR_CHECK(check(points));
  const Scatter all = scatter_of(points);
  const double shared = std::min(kSharedDegrees, all.degrees);
  CurveSamples samples;
  for (const CurvePoint& point : points) {
    const Scatter own = scatter_of(point);
    const double degrees = own.degrees + shared;
    const double variance =
        degrees > 0 ? (own.degrees * own.variance + shared * all.variance) / degrees : 0;
    const auto runs = static_cast<double>(std::max<std::size_t>(point.runs, 1));
    samples.points.push_back({point.workers, std::log(point.time),
                              std::max(variance / runs, kLeastError * kLeastError), point.nodes});
  }
  const bool unknown = curve.origin == CurveOrigin::kPublished || all.degrees < kFewestDegrees;
  samples.single = unknown;
  samples.cases = unknown ? unknown_errors() : scales(all.degrees);
  return samples;
}

CurveSamples without_last(const CurveSamples& samples) {
  CurveSamples before = samples;
  before.points.pop_back();
  return before;
}

}  // namespace kstar::curves
