#include "report/scaling_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"

namespace kstar {

std::string half_width(const Estimate& estimate) {
  const double share = (estimate.high - estimate.low) / 2 / estimate.point;
  return std::isfinite(share) ? percent(share, 1) : "?";
}

std::string interval_text(const Estimate& estimate, int decimals) {
  if (!is_bounded(estimate)) return "no interval";
  return fmt::format("{}..{}", fixed(estimate.low, decimals), fixed(estimate.high, decimals));
}

int efficiency_decimals(const Estimate& efficiency) {
  constexpr int kLeast = 3, kMost = 9;
  const double e = std::fabs(efficiency.point);
  if (!(e > 0) || !std::isfinite(e)) return kLeast;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(e))) + 1, kLeast, kMost);
}

std::string bare_time_interval_text(const Estimate& seconds) {
  if (!is_bounded(seconds)) return "no interval";
  const TimeUnit unit = time_unit_for(seconds.point);
  return fmt::format("{}..{}", significant(seconds.low / unit.seconds, 4),
                     significant(seconds.high / unit.seconds, 4));
}

std::string time_interval_text(const Estimate& seconds) {
  const std::string interval = bare_time_interval_text(seconds);
  return is_bounded(seconds) ? fmt::format("{} {}", interval, time_unit_for(seconds.point).name)
                             : interval;
}

std::string point_name(const ScalingPoint& point) {
  return point.role == Role::kBaseline ? "base" : fmt::format("{}", point.workers);
}

const char* verdict(const ScalingPoint& point) {
  if (!point.clear) return "unclear";
  return point.good ? "ok" : "low";
}

std::string base_text(const ScalingTable& table) {
  return table.base_role == Role::kBaseline
             ? std::string("the baseline program")
             : fmt::format("K = {} of the program itself", table.base_workers);
}

}  // namespace kstar
