#include <cmath>
#include <limits>

#include "analysis/fit/parts.h"

namespace kstar {

namespace {

/// c / T from T: the ends change places.
Estimate inverse(const Estimate& time, double numerator) {
  Estimate result = time;
  result.point = numerator / time.point;
  result.standard_error = result.point * (time.standard_error / time.point);
  if (time.method == IntervalMethod::kNone) return result;
  result.low = numerator / time.high;
  result.high = time.low > 0 ? numerator / time.low : std::numeric_limits<double>::infinity();
  return result;
}

/// The T(1) that the other one takes the place of.
bool is_first_worker(const ScalingTable& table, const ScalingPoint& point) {
  return point.workers == 1 && table.base_workers == 1 && point.role == table.base_role;
}

Estimate exactly_one(const Estimate& time) {
  Estimate one = time;
  one.point = one.low = one.high = 1;
  one.standard_error = 0;
  return one;
}

/// E from T(base) / T(K).
double share_of(const ScalingPoint& point, int base) {
  return point.work * base / point.workers;
}

void set_bend(const EfficiencyCurve& curve, const BendOptions& options, OtherBaseline& other) {
  if (!curve.points.empty()) other.bend = find_bend(curve, options).bend;
}

/// The smallest K of the parallel program with times.
const ScalingPoint* smallest(const ScalingTable& table) {
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) return &point;
  }
  return nullptr;
}

}  // namespace

OtherBaseline against_time(const ScalingTable& table, const SampleGroups& groups, double seconds,
                           const BendOptions& options) {
  OtherBaseline other{.time = seconds, .efficiency = {}, .bend = {}};
  EfficiencyCurve curve;
  for (const ScalingPoint& point : table.points) {
    const double share = share_of(point, 1);
    other.efficiency.push_back(is_first_worker(table, point)
                                   ? exactly_one(point.time)
                                   : inverse(point.time, seconds * share));
    if (point.role == Role::kBaseline) continue;
    curve.points.push_back({.workers = point.workers,
                            .efficiency = other.efficiency.back(),
                            .samples = &groups.at({true, point.workers})});
  }
  set_bend(curve, options, other);
  return other;
}

std::optional<OtherBaseline> against_own(const ScalingTable& table, const SampleGroups& groups,
                                         Scope scope, const BendOptions& options) {
  const ScalingPoint* own = smallest(table);
  if (own == nullptr || table.base_role == Role::kParallel) return {};
  OtherBaseline other{.time = own->time.point, .efficiency = {}, .bend = {}};
  EfficiencyCurve curve;
  curve.base = &groups.at({true, own->workers});
  curve.base_error = own->time.standard_error / own->time.point;
  for (const ScalingPoint& point : table.points) {
    const Samples& samples = groups.at({point.role == Role::kParallel, point.workers});
    const Result<Estimate> times =
        ratio_of_times(*curve.base, samples, {.confidence = options.confidence, .scope = scope});
    if (!times) return {};
    other.efficiency.push_back(scaled(*times, share_of(point, own->workers) / own->work));
    if (point.role == Role::kBaseline) continue;
    curve.points.push_back(
        {.workers = point.workers, .efficiency = other.efficiency.back(), .samples = &samples});
  }
  set_bend(curve, options, other);
  return other;
}

}  // namespace kstar
