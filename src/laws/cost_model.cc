#include "kstar/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kstar {

namespace {
constexpr std::array<GrowthInfo, 7> kGrowths = {{{Growth::kConstant, "constant", "1"},
                                                 {Growth::kLog2, "log2", "log2 K"},
                                                 {Growth::kLog2Plus1, "log2p1", "log2(K+1)"},
                                                 {Growth::kSqrt, "sqrt", "sqrt K"},
                                                 {Growth::kLinear, "linear", "K"},
                                                 {Growth::kRing, "ring", "2(K-1)/K"},
                                                 {Growth::kOthers, "others", "K-1"}}};

/// growth_at(K+1) - growth_at(K), without cancellation.
double growth_step(Growth growth, double workers) {
  constexpr double kLog2E = 1.4426950408889634;
  switch (growth) {
    case Growth::kConstant:
      return 0;
    case Growth::kLog2:
      return std::log1p(1 / workers) * kLog2E;
    case Growth::kLog2Plus1:
      return std::log1p(1 / (workers + 1)) * kLog2E;
    case Growth::kSqrt:
      return 1 / (std::sqrt(workers + 1) + std::sqrt(workers));
    case Growth::kLinear:
    case Growth::kOthers:
      return 1;
    case Growth::kRing:
      return 2 / (workers * (workers + 1));
  }
  return 0;
}

}  // namespace

std::span<const GrowthInfo> named_growths() {
  return std::span(kGrowths).first(kGrowths.size() - 1);  // the last is the USL's own
}

const GrowthInfo& info(Growth growth) {
  return *std::find_if(kGrowths.begin(), kGrowths.end(),
                       [growth](const GrowthInfo& known) { return known.growth == growth; });
}

double growth_at(Growth growth, double workers) {
  switch (growth) {
    case Growth::kConstant:
      return 1;
    case Growth::kLog2:
      return std::log2(workers);
    case Growth::kLog2Plus1:
      return std::log2(workers + 1);
    case Growth::kSqrt:
      return std::sqrt(workers);
    case Growth::kLinear:
      return workers;
    case Growth::kRing:
      return 2 * (workers - 1) / workers;
    case Growth::kOthers:
      return workers - 1;
  }
  return 0;
}

CostParts parts_at(const CostModel& model, double workers) {
  CostParts parts;
  parts.serial = model.serial;
  parts.parallel =
      model.work_growth == WorkGrowth::kFixed ? model.parallel / workers : model.parallel;
  if (workers > 1) parts.parallel *= 1 + model.imbalance;
  for (const Communication& term : model.communication) {
    parts.communication += term.cost * growth_at(term.growth, workers);
  }
  parts.hidden = std::min(model.hidden * parts.communication, parts.parallel);
  if (model.straggler.probability > 0) {
    // 1-(1-p)^K, without losing a small p to rounding.
    const double any_slow = -std::expm1(workers * std::log1p(-model.straggler.probability));
    parts.straggler = model.straggler.delay * any_slow;
  }
  return parts;
}

double time_at(const CostModel& model, double workers) {
  return parts_at(model, workers).total();
}

int time_trend_at(const CostModel& model, double workers) {
  const CostParts now = parts_at(model, workers), next = parts_at(model, workers + 1);
  double parallel = 0;
  if (model.work_growth == WorkGrowth::kFixed) parallel = -next.parallel / workers;
  if (workers < 2) parallel = next.parallel - now.parallel;  // imbalance begins at 2
  double communication = 0;
  for (const Communication& term : model.communication) {
    communication += term.cost * growth_step(term.growth, workers);
  }
  const double p = model.straggler.probability;
  const double waiting = p > 0 ? model.straggler.delay * p * std::pow(1 - p, workers) : 0;
  const bool covered = now.hidden >= now.parallel, covered_next = next.hidden >= next.parallel;
  double hidden = covered ? parallel : model.hidden * communication;
  if (covered != covered_next) hidden = next.hidden - now.hidden;
  const double change = parallel + communication - hidden + waiting;
  const double size = std::max({std::fabs(parallel), std::fabs(communication), waiting});
  constexpr double kRounding = 1e-14;
  return change > kRounding * size ? 1 : change < -kRounding * size ? -1 : 0;
}

double work_at(const CostModel& model, double workers) {
  switch (model.work_growth) {
    case WorkGrowth::kFixed:
      return 1;
    case WorkGrowth::kProportional:
      return workers;
    case WorkGrowth::kParallelOnly:
      return (model.serial + workers * model.parallel) / (model.serial + model.parallel);
  }
  return 1;
}

double speedup_at(const CostModel& model, double workers) {
  return work_at(model, workers) / work_at(model, model.base_workers) *
         (time_at(model, model.base_workers) / time_at(model, workers));
}

double efficiency_at(const CostModel& model, double workers) {
  return speedup_at(model, workers) * model.base_workers / workers;
}

CostModel with_serial(const CostModel& model, double serial) {
  CostModel changed = model;
  changed.parallel = model.serial + model.parallel - serial;
  changed.serial = serial;
  return changed;
}

CostModel with_communication(const CostModel& model, double factor) {
  CostModel changed = model;
  for (Communication& term : changed.communication) term.cost *= factor;
  return changed;
}

}  // namespace kstar
