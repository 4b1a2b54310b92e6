#include "analysis/causes/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/causes/factors.h"
#include "analysis/causes/noise_floor.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

double relative_deviation(const ScalingPoint& point) {
  return point.times.standard_deviation / point.times.mean;
}

/// The logarithm of `delay` over that of the efficiency lost.
double share_of_loss(double delay, const ScalingPoint& last) {
  const double lost = -std::log(last.efficiency->point);
  return lost > 0 ? std::clamp(std::log(delay) / lost, 0.0, 1.0) : 0;
}

/// Logarithms of variances have the variance 2 / (n - 1).
bool is_wider(const ScalingPoint& base, const ScalingPoint& last, double confidence) {
  const double ratio = relative_deviation(last) / relative_deviation(base);
  const double error = std::sqrt(2 / static_cast<double>(base.times.n - 1) +
                                 2 / static_cast<double>(last.times.n - 1));
  return 2 * std::log(ratio) > normal_quantile(confidence) * error;
}

/// How much the mean step of each run is above a prompt one.
std::vector<double> step_delays(const Study& study, int workers) {
  constexpr std::size_t kFewestSteps = 8;
  std::vector<double> shares;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.workers != workers || run.role != Role::kParallel) continue;
    const auto skip = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
    if (run.steps.size() < skip + kFewestSteps) continue;
    const std::vector<double> steps(run.steps.begin() + static_cast<std::ptrdiff_t>(skip),
                                    run.steps.end());
    shares.push_back(1 - quantile_of(steps, 0.25) / mean_of(steps));
  }
  return shares;
}

double error_of_mean(const std::vector<double>& values) {
  return deviation_of(values) / std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

std::optional<ScatterGrowth> scatter_growth(const ScalingTable& table, const ScalingPoint& last,
                                            double confidence) {
  const ScalingPoint* base = point_at(table, Role::kParallel, table.base_workers);
  if (base == nullptr || base->times.n < 3 || last.times.n < 3) return std::nullopt;
  if (!(relative_deviation(*base) > 0) || relative_deviation(last) < kNegligible ||
      !is_wider(*base, last, confidence)) {
    return std::nullopt;
  }
  return ScatterGrowth{
      share_of_loss(last.times.mean / last.times.min, last),
      fmt::format("T varies by {} at K = {} and by {} at K = {}: some worker is late in some runs",
                  percent(relative_deviation(last), 0), last.workers,
                  percent(relative_deviation(*base), 0), base->workers)};
}

bool is_steady(const ScalingPoint& point) {
  return point.times.n >= 3 && relative_deviation(point) < kNegligible;
}

std::optional<ScatterGrowth> step_scatter(const Study& study, const ScalingTable& table,
                                          const ScalingPoint& last, double confidence) {
  const std::vector<double> before = step_delays(study, table.base_workers);
  const std::vector<double> now = step_delays(study, last.workers);
  if (before.size() < 2 || now.size() < 2) return std::nullopt;
  const double error = std::hypot(error_of_mean(before), error_of_mean(now));
  const double more = mean_of(now) - mean_of(before);
  if (more - normal_quantile((1 + confidence) / 2) * error < kNegligible) return std::nullopt;
  return ScatterGrowth{
      share_of_loss(1 / (1 - more), last),
      fmt::format("the mean step is {} above a fast one at K = {} and {} at K = {}: single steps "
                  "are delayed",
                  percent(mean_of(now), 0), last.workers, percent(mean_of(before), 0),
                  table.base_workers)};
}

}  // namespace kstar::causes
