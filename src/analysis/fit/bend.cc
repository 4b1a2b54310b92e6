#include "kstar/bend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/fit/efficiency_curve.h"

namespace kstar {

namespace {

/// The first bad one of efficiencies by K; their number where there is none.
template <typename Efficiency>
std::size_t first_bad(std::size_t count, double threshold, const Efficiency& efficiency) {
  std::size_t i = 0;
  while (i < count && efficiency(i) >= threshold) ++i;
  return i;
}

/// The first bad K of a curve whose logarithms err by so much.
template <typename Errors>
std::size_t bend_of(const EfficiencyCurve& curve, double threshold, const Errors& error) {
  return first_bad(curve.points.size(), threshold, [&](std::size_t k) {
    return curve.points[k].efficiency.point * std::exp(error(k));
  });
}

/// How likely each K is the first bad one; the last: none is.
std::vector<double> resample(const EfficiencyCurve& curve, const JointErrors& joint,
                             const BendOptions& options) {
  std::vector<double> chances(curve.points.size() + 1, 0);
  if (joint.correlations.empty()) {
    CommonCauses common = common_causes(curve, joint.errors);
    CommonCauseDraws draws(joint.errors, std::move(common.loadings), common.causes, options.seed);
    for (std::size_t i = 0; i < options.resamples; ++i) {
      draws.next();
      ++chances[bend_of(curve, options.threshold, [&](std::size_t k) { return draws.error(k); })];
    }
  } else {
    JointDraws draws(joint.errors, joint.correlations, options.seed);
    for (std::size_t i = 0; i < options.resamples; ++i) {
      const auto errors = draws.next();
      ++chances[bend_of(curve, options.threshold, [&](std::size_t k) { return errors[k]; })];
    }
  }
  for (double& chance : chances) chance /= static_cast<double>(options.resamples);
  return chances;
}

/// The place with so much before it.
std::size_t quantile(std::span<const double> chances, double probability) {
  double below = 0;
  for (std::size_t place = 0; place + 1 < chances.size(); ++place) {
    below += chances[place];
    if (below > probability) return place;
  }
  return chances.size() - 1;
}

/// K* for a bend at this place; the smallest K stands for "none is good" as well.
std::size_t advised(std::size_t place) {
  return place == 0 ? 0 : place - 1;
}

void set_bend(const EfficiencyCurve& curve, std::size_t place, BendAnswer& answer) {
  const auto& points = curve.points;
  if (place == points.size()) return;
  Bend& bend = answer.bend.emplace();
  bend.first_bad = points[place].workers;
  if (place > 0) bend.last_good = points[place - 1].workers;
  bend.low = points.front().workers;
  bend.agreement = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EfficiencyCurve curve_of(const ScalingTable& table, const SampleGroups& groups) {
  EfficiencyCurve curve;
  for (const ScalingPoint& point : table.points) {
    if (!point.efficiency || point.role == Role::kBaseline) continue;
    curve.points.push_back({.workers = point.workers,
                            .efficiency = *point.efficiency,
                            .samples = &groups.at({true, point.workers})});
  }
  if (curve.points.empty()) return curve;
  curve.base = &groups.at({table.base_role == Role::kParallel, table.base_workers});
  for (const ScalingPoint& point : table.points) {
    if (point.role != table.base_role || point.workers != table.base_workers) continue;
    curve.base_error = point.time.standard_error / point.time.point;
  }
  return curve;
}

void set_chances(std::span<const int> workers, std::span<const double> chances, double confidence,
                 double most_sure, std::optional<Bend>& bend, WorkersAdvice* advice) {
  const double tail = (1 - confidence) / 2;
  const std::size_t low = quantile(chances, tail), high = quantile(chances, 1 - tail);
  if (advice != nullptr) {
    advice->low = std::min(workers[advised(low)], advice->workers);
    advice->high = std::max(workers[advised(high)], advice->workers);
    advice->none_bad = std::min(chances.back(), most_sure);
  }
  if (!bend) return;
  const auto place = static_cast<std::size_t>(
      std::find(workers.begin(), workers.end(), bend->first_bad) - workers.begin());
  bend->agreement = std::min(chances[place], most_sure);
  // A bend that was seen is somewhere: beyond the largest K is no low end.
  bend->low = workers[std::min(low, place)];
  bend->high.reset();
  if (std::max(high, place) < workers.size()) bend->high = workers[std::max(high, place)];
}

BendAnswer find_bend(const EfficiencyCurve& curve, const BendOptions& options) {
  const auto& points = curve.points;
  const std::size_t place = first_bad(points.size(), options.threshold,
                                      [&](std::size_t k) { return points[k].efficiency.point; });
  BendAnswer answer;
  set_bend(curve, place, answer);
  WorkersAdvice& advice = answer.advice;
  advice.workers = points[advised(place)].workers;
  advice.low = points.front().workers;
  advice.high = points.back().workers;
  advice.open = place == points.size();
  for (std::size_t i = place + 1; i < points.size(); ++i) {
    if (points[i].efficiency.point >= options.threshold) advice.good_again = points[i].workers;
  }
  if (const auto joint = joint_errors(curve); joint && options.resamples > 0) {
    std::vector<int> workers;
    for (const EfficiencyCurve::Point& point : points) workers.push_back(point.workers);
    set_chances(workers, resample(curve, *joint, options), options.confidence, 1, answer.bend,
                &advice);
    answer.resampled = true;
  }
  return answer;
}

}  // namespace kstar
