#include "analysis/fit/curve_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace kstar::curves {

namespace {

/// As many runs of the others as one K's own scatter is worth.
constexpr double kSharedDegrees = 8;

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
      return fail(expected(fmt::format("K = {}", fmt::format("{}", point.workers)),
                           "a time above 0 seconds", fmt::format("{}", point.time)));
    }
    if (i > 0 && points[i - 1].workers == point.workers) {
      return fail(expected("models", "each K once", fmt::format("{}", point.workers)));
    }
  }
  return {};
}

bool has_noise(const CurvePoint& point) {
  return point.runs >= 2 && std::isfinite(point.relative_error) && point.relative_error >= 0;
}

}  // namespace

Result<std::vector<Sample>> samples_of(const Curve& curve) {
  std::vector<CurvePoint> points = curve.points;
  std::sort(points.begin(), points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.workers < b.workers; });
  KSTAR_CHECK(check(points));
  double degrees = 0, squares = 0;
  for (const CurvePoint& point : points) {
    if (!has_noise(point)) continue;
    const auto runs = static_cast<double>(point.runs);
    degrees += runs - 1;
    squares += (runs - 1) * point.relative_error * point.relative_error * runs;
  }
  const double shared = degrees > 0 ? squares / degrees : 0;  // the relative variance of one run
  std::vector<Sample> samples;
  for (const CurvePoint& point : points) {
    const auto runs = static_cast<double>(std::max<std::size_t>(point.runs, 1));
    const double own = has_noise(point) ? point.relative_error * point.relative_error * runs : 0;
    const double own_degrees = has_noise(point) ? runs - 1 : 0;
    const double weight = std::min(kSharedDegrees, degrees);
    const double variance = own_degrees + weight > 0
                                ? (own_degrees * own + weight * shared) / (own_degrees + weight)
                                : 0;
    samples.push_back({point.workers, std::log(point.time), std::sqrt(variance / runs)});
  }
  return samples;
}

}  // namespace kstar::curves
