#include "predict/changes.h"

#include <algorithm>
#include <cmath>

namespace kstar {

namespace {

double cost_of_communication(const CostModel& model) {
  double sum = 0;
  for (const Communication& term : model.communication) sum += term.cost;
  return sum;
}

struct NamedModel {
  ChangeKind kind;
  const char* name;
  CostModel model;
};

std::vector<NamedModel> changed_models(const CostModel& model) {
  const bool usl = model.regime == Regime::kThroughput;
  std::vector<NamedModel> list;
  if (model.serial > 0) {
    list.push_back({ChangeKind::kHalveSerial, usl ? "halve contention" : "halve the serial part",
                    with_serial(model, model.serial / 2)});
  }
  if (cost_of_communication(model) > 0) {
    list.push_back({ChangeKind::kHalveCommunication,
                    usl ? "halve coherency" : "halve communication",
                    with_communication(model, 0.5)});
    CostModel hiding = model;
    hiding.hidden = 1 - (1 - model.hidden) / 2;
    // Coherency is not a message: nothing can be computed while caches agree.
    if (!usl)
      list.push_back(
          {ChangeKind::kHideHalf,
           model.hidden > 0 ? "hide half of the exposed rest" : "hide half of communication",
           hiding});
  }
  if (model.straggler.probability > 0) {
    CostModel punctual = model;
    punctual.straggler = {};
    list.push_back({ChangeKind::kRemoveStragglers, "remove the stragglers", punctual});
  }
  if (model.imbalance > 0) {
    CostModel balanced = model;
    balanced.imbalance = 0;
    list.push_back({ChangeKind::kBalanceLoad, "balance the load", balanced});
  }
  CostModel doubled = model;
  doubled.parallel *= 2;
  list.push_back({ChangeKind::kDoubleWork, "double the work", doubled});
  return list;
}

void choose_best(Changes& changes, double now) {
  const auto gain = [&](const Change& change) {
    return changes.by_ceiling ? change.ceiling.speedup : change.efficiency_at_largest;
  };
  double best = now;
  for (const Change& change : changes.list) best = std::max(best, gain(change));
  if (!clearly_less(now, best)) return;
  for (const Change& change : changes.list) {
    if (gain(change) == best || !clearly_less(gain(change), best)) changes.best.push_back(change);
  }
}

/// The model with its sensitive parameter multiplied, or nothing where that leaves its range.
std::optional<CostModel> scaled(const LawInstance& instance, double factor) {
  const CostModel& model = instance.model;
  if (instance.law->sensitive_part == CostPart::kCommunication) {
    return with_communication(model, factor);
  }
  if (model.serial * factor > model.serial + model.parallel) return std::nullopt;
  return with_serial(model, model.serial * factor);
}

/// A part that is not there cannot be halved.
bool is_there(const LawInstance& instance) {
  return instance.law->sensitive_part == CostPart::kSerial
             ? instance.model.serial > 0
             : cost_of_communication(instance.model) > 0;
}

}  // namespace

Changes changes_of(const LawInstance& instance, const PredictionOptions& options) {
  const CostModel& now = instance.model;
  const Ceiling ceiling = ceiling_of(now);
  const double largest = static_cast<double>(options.workers.back());
  Changes changes;
  changes.by_ceiling = ceiling.bounded();
  for (const NamedModel& changed : changed_models(now)) {
    changes.list.push_back({.kind = changed.kind,
                            .name = changed.name,
                            .ceiling = ceiling_of(changed.model),
                            .least = least_time(changed.model),
                            .last_good = last_usable(changed.model, options.threshold),
                            .efficiency_at_largest = efficiency_at(changed.model, largest)});
  }
  choose_best(changes, changes.by_ceiling ? ceiling.speedup : efficiency_at(now, largest));
  return changes;
}

Sensitivity sensitivity_of(const LawInstance& instance, const PredictionOptions& options) {
  constexpr double kStep = 1.001;
  const double threshold = options.threshold;
  Sensitivity sensitivity;
  sensitivity.parameter = instance.law->sensitive_to;
  if (!is_there(instance)) return sensitivity;
  if (const auto model = scaled(instance, 0.5)) sensitivity.halved = last_usable(*model, threshold);
  if (const auto model = scaled(instance, 2)) sensitivity.doubled = last_usable(*model, threshold);
  const std::optional<CostModel> less = scaled(instance, 1 / kStep), more = scaled(instance, kStep);
  if (!less || !more) return sensitivity;
  const double with_less = usable_workers(*less, threshold);
  const double with_more = usable_workers(*more, threshold);
  if (with_more > 0 && with_less < kMostWorkers) {
    sensitivity.elasticity = std::log(with_more / with_less) / (2 * std::log(kStep));
  }
  return sensitivity;
}

}  // namespace kstar
