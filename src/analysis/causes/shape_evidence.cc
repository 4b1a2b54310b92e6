#include "analysis/causes/shape_evidence.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/causes/factors.h"
#include "analysis/causes/noise_floor.h"
#include "base/duration.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

/// log o against log (k - 1), weighted by how well each o is known.
struct Line {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  std::size_t points = 0;

  void add(double at, double value, double error) {
    const double w = 1 / (error * error);
    weight += w;
    x += w * at;
    y += w * value;
    xx += w * at * at;
    xy += w * at * value;
    yy += w * value * value;
    ++points;
  }
};

/// Where one run per K gives no error, or a very small one, forms themselves are not that exact.
double log_error(const Estimate& efficiency, double overhead) {
  constexpr double kForm = 0.1;
  const double own =
      std::isfinite(efficiency.standard_error)
          ? efficiency.standard_error / (efficiency.point * efficiency.point * overhead)
          : 0;
  return std::hypot(kForm, own);
}

}  // namespace

std::optional<OverheadGrowth> growth_of(const ScaledPoints& points, int base, double confidence) {
  constexpr std::size_t kFewest = 3;
  Line line;
  for (const ScalingPoint* point : points) {
    const double overhead = 1 / point->efficiency->point - 1;
    const double more = static_cast<double>(point->workers) / base - 1;
    if (overhead < kNegligible) continue;
    line.add(std::log(more), std::log(overhead), log_error(*point->efficiency, overhead));
  }
  const double spread = line.xx - line.x * line.x / line.weight;
  if (line.points < kFewest || !(spread > 0)) return std::nullopt;
  const double power = (line.xy - line.x * line.y / line.weight) / spread;
  const double left = line.yy - line.y * line.y / line.weight - power * power * spread;
  const double degrees = static_cast<double>(line.points) - 2;
  const double misfit = std::max(1.0, left / degrees);
  const double half = normal_quantile((1 + confidence) / 2) * std::sqrt(misfit / spread);
  return OverheadGrowth{power, power - half, power + half, line.points};
}

std::string growth_text(const OverheadGrowth& growth) {
  return fmt::format("the loss grows as (K - 1)^{} ({} to {}) over {} K", fixed(growth.power, 2),
                     fixed(growth.low, 2), fixed(growth.high, 2), growth.points);
}

std::optional<std::string> karp_flatt_text(const ScaledPoints& points) {
  const std::optional<Estimate>& first = points.front()->karp_flatt;
  const std::optional<Estimate>& last = points.back()->karp_flatt;
  if (points.size() < 2 || !first || !last || !(first->point > 0)) return std::nullopt;
  const bool apart = is_bounded(*first) && is_bounded(*last)
                         ? last->low > first->high || last->high < first->low
                         : std::fabs(std::log(last->point / first->point)) > kPlain;
  return fmt::format("the serial fraction of Karp and Flatt {} {} at K = {} to {} at K = {}",
                     !apart                       ? "does not clearly change from"
                     : last->point > first->point ? "rises from"
                                                  : "falls from",
                     significant(first->point, 2), points.front()->workers,
                     significant(last->point, 2), points.back()->workers);
}

std::optional<std::string> rising_text(const ScaledPoints& points) {
  const ScalingPoint* least = points.front();
  for (const ScalingPoint* point : points) {
    if (point->time.point < least->time.point) least = point;
  }
  const ScalingPoint* last = points.back();
  const bool rises = is_bounded(least->time) && is_bounded(last->time)
                         ? last->time.low > least->time.high
                         : last->time.point > (1 + kPlain) * least->time.point;
  if (least == last || !rises) return std::nullopt;
  return fmt::format(
      "T rises from {} at K = {} to {} at K = {}: some cost grows with K faster than "
      "the work of each shrinks",
      time_text(least->time.point), least->workers, time_text(last->time.point), last->workers);
}

std::optional<std::string> flat_text(const ScaledPoints& points) {
  constexpr double kFlat = 0.03;
  const double last = points.back()->time.point;
  auto first = points.rbegin();
  while (first != points.rend() && std::fabs((*first)->time.point / last - 1) < kFlat) ++first;
  if (first - points.rbegin() < 3) return std::nullopt;
  const ScalingPoint& from = **(first - 1);
  return fmt::format(
      "T stays at {} from K = {} to {}: a constant time, as from a serial part, one task that is "
      "not divided, or a resource that all share",
      time_text(last), from.workers, points.back()->workers);
}

}  // namespace kstar::causes
