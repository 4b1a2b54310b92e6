#include "kstar/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kstar {

namespace {
constexpr std::array<GrowthInfo, 6> kGrowths = {{{Growth::kConstant, "constant", "1"},
                                                 {Growth::kLog2, "log2", "log2 K"},
                                                 {Growth::kLog2Plus1, "log2p1", "log2(K+1)"},
                                                 {Growth::kLinear, "linear", "K"},
                                                 {Growth::kRing, "ring", "2(K-1)/K"},
                                                 {Growth::kOthers, "others", "K-1"}}};
}  // namespace

std::span<const GrowthInfo> named_growths() {
  return std::span(kGrowths).first(5);  // the last is the USL's own
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
