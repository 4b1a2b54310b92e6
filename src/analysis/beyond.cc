#include "analysis/beyond.h"

#include <algorithm>
#include <cmath>

namespace kstar {

namespace {

/// The largest speedup that was measured.
const Estimate* largest_speedup(const ScalingTable& table) {
  const Estimate* most = nullptr;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || !point.speedup) continue;
    if (most == nullptr || point.speedup->point > most->point) most = &*point.speedup;
  }
  return most;
}

/// What was measured is possible. What lies beyond the largest K was not seen: a bound that only
/// models have is none.
void bound_ceiling(const ScalingTable& table, Estimate& ceiling) {
  const Estimate* most = largest_speedup(table);
  if (most == nullptr) return;
  const bool known = is_bounded(*most);
  const double low = known ? most->low : most->point;
  ceiling.high = std::max(ceiling.high, known ? most->high : most->point);
  ceiling.point = std::max(ceiling.point, most->point);
  ceiling.low = std::isfinite(ceiling.high) ? std::max(ceiling.low, low) : low;
  ceiling.low = std::min(ceiling.low, ceiling.point);
}

/// Where T does not fall any more at the largest K no larger one is promised to be faster.
void bound_best_workers(const Analysis& analysis, CurveEnd ends, Estimate& best) {
  const auto largest = static_cast<double>(analysis.table.points.back().workers);
  const double measured = analysis.recommendation.least_time_workers;
  if (ends == CurveEnd::kFlat || ends == CurveEnd::kLoses) best.point = measured;
  if (ends == CurveEnd::kLoses) best.high = std::min(best.high, largest);
  if (!std::isfinite(best.high)) best.low = std::min(best.low, measured);
  best.low = std::min(best.low, best.point);
}

/// How many workers the only machine holds; none where it is not known. More workers than
/// accelerators are none of those.
std::optional<double> most_on_one_node(const Study& study, int largest) {
  const std::vector<Host>& hosts = study.header.environment.hosts;
  if (hosts.size() != 1) return {};
  const auto devices = static_cast<int>(hosts[0].accelerators.size());
  if (largest <= devices) return devices;
  return hosts[0].threads ? std::optional<double>(*hosts[0].threads) : std::nullopt;
}

}  // namespace

void bound_by_measured(const Analysis& analysis, ModelFit& fit) {
  const ScalingTable& table = analysis.table;
  if (fit.ceiling) bound_ceiling(table, *fit.ceiling);
  if (fit.bend && !analysis.bend) {
    fit.bend->low = std::min(fit.bend->low, static_cast<double>(table.points.back().workers));
  }
  // A step lies anywhere between two K.
  if (const auto& step = fit.goodness.change; step && fit.bend) {
    if (fit.bend->point >= step->from && fit.bend->point <= step->to) {
      fit.bend->low = std::min(fit.bend->low, step->from);
      fit.bend->high = std::max(fit.bend->high, step->to);
    }
  }
  if (fit.best_workers && table.regime != Regime::kWeak) {
    bound_best_workers(analysis, fit.ends, *fit.best_workers);
  }
}

void set_leaves_node(const Study& study, const ScalingTable& table, ModelFit& fit) {
  const std::optional<double> most = most_on_one_node(study, table.points.back().workers);
  if (!most) return;
  for (PredictedWorkers& at : fit.predictions) {
    at.leaves_node = at.extrapolated && at.workers > *most;
  }
}

}  // namespace kstar
