#include <algorithm>
#include <cmath>
#include <limits>

#include "kstar/questions.h"
#include "laws/integer_search.h"

namespace kstar {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// T(K) for large K: constant + logarithm * log2 K + slope * K, up to what vanishes.
struct Tail {
  double constant = 0;
  double logarithm = 0;
  double slope = 0;

  bool grows() const { return slope > 0 || logarithm > 0; }
  double limit() const { return grows() ? kInfinity : constant; }
};

void add(Tail& tail, const Communication& term) {
  switch (term.growth) {
    case Growth::kConstant:
      tail.constant += term.cost;
      break;
    case Growth::kRing:
      tail.constant += 2 * term.cost;
      break;
    case Growth::kLog2:
    case Growth::kLog2Plus1:
      tail.logarithm += term.cost;
      break;
    case Growth::kOthers:
      tail.constant -= term.cost;
      [[fallthrough]];
    case Growth::kLinear:
      tail.slope += term.cost;
      break;
  }
}

Tail tail_of(const CostModel& model) {
  Tail tail;
  for (const Communication& term : model.communication) add(tail, term);
  const bool divided = model.work_growth == WorkGrowth::kFixed;
  const double parallel = divided ? 0 : model.parallel * (1 + model.imbalance);
  // Only what there is to compute can hide communication: nothing, when each share shrinks to 0.
  const double could_hide =
      tail.grows() && model.hidden > 0 ? parallel : model.hidden * tail.constant;
  tail.constant += model.serial + parallel - std::min(could_hide, parallel);
  if (model.straggler.probability > 0) tail.constant += model.straggler.delay;
  return tail;
}

double limit_speedup(const CostModel& model, const Tail& tail) {
  const double base = time_at(model, model.base_workers) / work_at(model, model.base_workers);
  if (model.work_growth == WorkGrowth::kFixed) {
    return tail.limit() > 0 ? base / tail.limit() : kInfinity;
  }
  const double work_slope = work_at(model, 2) - work_at(model, 1);
  if (work_slope <= 0) return base / tail.limit();  // Gustafson with nothing parallel
  return tail.slope > 0 ? base * work_slope / tail.slope : kInfinity;
}

double limit_efficiency(const CostModel& model, const Tail& tail) {
  const double base = model.base_workers * time_at(model, model.base_workers);
  if (model.work_growth == WorkGrowth::kFixed) {
    // K T(K) goes to the parallel work alone, or to infinity.
    const bool only_parallel = !tail.grows() && tail.constant == 0;
    return only_parallel ? base / (model.parallel * (1 + model.imbalance)) : 0;
  }
  const double work_slope = work_at(model, 2) - work_at(model, 1);
  return base * work_slope / work_at(model, model.base_workers) / tail.limit();
}

}  // namespace

bool clearly_less(double a, double b) {
  constexpr double kRounding = 1e-12;
  if (std::isinf(a) || std::isinf(b)) return a < b;
  return a < b - kRounding * std::max(std::fabs(a), std::fabs(b));
}

Limits limits_of(const CostModel& model) {
  const Tail tail = tail_of(model);
  return {.time = tail.limit(),
          .speedup = limit_speedup(model, tail),
          .efficiency = limit_efficiency(model, tail)};
}

bool Ceiling::bounded() const {
  return std::isfinite(speedup);
}

Ceiling ceiling_of(const CostModel& model) {
  const double limit = limits_of(model).speedup;
  if (limit == kInfinity) return {.speedup = limit, .workers = std::nullopt};
  if (model.work_growth == WorkGrowth::kFixed) {
    const LeastTime least = least_time(model);
    return {.speedup = time_at(model, model.base_workers) / least.time, .workers = least.workers};
  }
  const double peak = integer_minimum([&](double k) { return -speedup_at(model, k); });
  const double highest = speedup_at(model, peak);
  const bool reached = clearly_less(limit, highest) || (peak == 1 && highest >= limit);
  if (!reached) return {.speedup = limit, .workers = std::nullopt};
  return {.speedup = highest, .workers = peak};
}

}  // namespace kstar
