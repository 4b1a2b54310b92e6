#include <algorithm>
#include <cmath>

#include "kstar/prediction.h"

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
      list.push_back({ChangeKind::kHideHalf,
                      model.hidden > 0 ? "hide half of the exposed communication"
                                       : "hide half of communication",
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
    return changes.by_ceiling ? change.limit : change.rate_at_largest;
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

/// How much of the changed job is done in the time in which the job as it is does one of its own,
/// both at the base.
double rate_at_base(const CostModel& changed, const CostModel& now) {
  const double base = now.base_workers;
  const double work = (changed.serial + changed.parallel) / (now.serial + now.parallel);
  return work * time_at(now, base) / time_at(changed, base);
}

/// What single changes would do to the job (see Changes).
Changes changes_of(const LawInstance& instance, const PredictionOptions& options) {
  const CostModel& now = instance.model;
  const Ceiling ceiling = ceiling_of(now);
  const double largest = static_cast<double>(options.workers.back());
  Changes changes;
  changes.by_ceiling = ceiling.bounded();
  for (const NamedModel& changed : changed_models(now)) {
    const Ceiling own = ceiling_of(changed.model);
    const double at_base = rate_at_base(changed.model, now);
    changes.list.push_back({.kind = changed.kind,
                            .name = changed.name,
                            .ceiling = own,
                            .least = least_time(changed.model),
                            .last_good = last_usable(changed.model, options.threshold),
                            .efficiency_at_largest = efficiency_at(changed.model, largest),
                            .limit = at_base * own.speedup,
                            .rate_at_largest = at_base * speedup_at(changed.model, largest)});
  }
  choose_best(changes, changes.by_ceiling ? ceiling.speedup : speedup_at(now, largest));
  return changes;
}

/// What halving and doubling the law's own parameter does to the usable K.
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
  if (with_more > 0 && with_less < kMostModelWorkers) {
    sensitivity.elasticity = std::log(with_more / with_less) / (2 * std::log(kStep));
  }
  return sensitivity;
}

PredictedPoint point_at(const LawInstance& instance, double workers, const Ceiling& ceiling,
                        double floor) {
  const CostModel& model = instance.model;
  PredictedPoint point;
  point.workers = workers;
  point.time = time_at(model, workers);
  point.speedup = speedup_at(model, workers);
  point.efficiency = efficiency_at(model, workers);
  point.work = work_at(model, workers);
  point.parts = parts_at(model, workers);
  point.cost = workers * point.time / point.work;
  point.next_doubling = speedup_at(model, 2 * workers) / point.speedup;
  if (instance.settings.rate > 0) point.rate = instance.settings.rate * point.speedup;
  if (ceiling.bounded()) point.share_of_ceiling = point.speedup / ceiling.speedup;
  point.largest_serial = largest_serial(model, workers, floor);
  point.isoefficient_work = isoefficient_work(model, workers, floor);
  point.serial_share = serial_share_at(model, workers);
  point.effective_amdahl = effective_amdahl_at(model, workers);
  return point;
}

std::vector<CurveSample> curve_of(const CostModel& model, double first, double last) {
  constexpr int kSamples = 64;
  std::vector<double> workers;
  for (int i = 0; i <= kSamples; ++i) {
    const double share = static_cast<double>(i) / kSamples;
    workers.push_back(first + share * (last - first));
    workers.push_back(first * std::pow(last / first, share));
  }
  std::sort(workers.begin(), workers.end());
  std::vector<CurveSample> curve;
  for (const double k : workers) {
    curve.push_back({k, speedup_at(model, k), efficiency_at(model, k)});
  }
  return curve;
}

template <typename Predicate>
std::optional<double> first_listed(const std::vector<PredictedPoint>& points, Predicate holds) {
  const auto found = std::find_if(points.begin(), points.end(), holds);
  if (found == points.end()) return std::nullopt;
  return found->workers;
}

/// The listed K of least time, and where the listed times turn up.
void answer_from_sweep(PredictionAnswers& answers, const std::vector<PredictedPoint>& points) {
  const auto least = std::min_element(points.begin(), points.end(),
                                      [](const PredictedPoint& a, const PredictedPoint& b) {
                                        return clearly_less(a.time, b.time);
                                      });
  answers.least_listed = least->workers;
  answers.sweep_met_least = answers.least.workers == least->workers;
  for (std::size_t i = 1; i < points.size() && !answers.turns_up_listed; ++i) {
    if (clearly_less(points[i - 1].time, points[i].time)) {
      answers.turns_up_listed = points[i].workers;
    }
  }
}

PredictionAnswers answers_of(const CostModel& model, const PredictionOptions& options,
                             const std::vector<PredictedPoint>& points) {
  PredictionAnswers answers;
  answers.limits = limits_of(model);
  answers.ceiling = ceiling_of(model);
  answers.first_below.exact = first_below(model, options.threshold);
  const auto bad = [&](const PredictedPoint& p) {
    return clearly_less(p.efficiency, options.threshold);
  };
  answers.first_below.listed = first_listed(points, bad);
  answers.last_good.exact = last_usable(model, options.threshold);
  for (const PredictedPoint& p : points) {
    if (!bad(p)) answers.last_good.listed = p.workers;
  }
  if (answers.ceiling.bounded()) {
    const double target = options.share * answers.ceiling.speedup;
    answers.reaches_share.exact = first_reaching(model, target);
    answers.reaches_share.listed = first_listed(
        points, [&](const PredictedPoint& p) { return !clearly_less(p.speedup, target); });
  }
  answers.least = least_time(model);
  answers.communication_overtakes = communication_overtakes(model);
  answer_from_sweep(answers, points);
  return answers;
}

void add_doubling(const CostModel& model, double workers, Recommendation& recommendation) {
  recommendation.doubled_from = workers;
  recommendation.doubled_gain = speedup_at(model, 2 * workers) / speedup_at(model, workers);
  recommendation.doubled_efficiency = efficiency_at(model, 2 * workers);
}

Recommendation recommendation_of(const CostModel& model, const PredictionAnswers& answers,
                                 double largest) {
  Recommendation recommendation{.workers = *answers.last_good.exact};
  const bool in_reach = recommendation.workers >= 1 && recommendation.workers <= kLargestAnswer;
  add_doubling(model, in_reach ? recommendation.workers : largest, recommendation);
  if (recommendation.workers >= kMostModelWorkers || !answers.first_below.exact)
    return recommendation;
  recommendation.next_workers = *answers.first_below.exact;
  recommendation.next_parts = parts_at(model, recommendation.next_workers);
  if (recommendation.workers < 1) return recommendation;
  recommendation.speedup = speedup_at(model, recommendation.workers);
  recommendation.efficiency = efficiency_at(model, recommendation.workers);
  return recommendation;
}

StepProfile profile_of(const LawInstance& instance) {
  const double k0 = instance.model.base_workers;
  const double s = serial_share_at(instance.model, k0);
  return {.profiled_time = instance.settings.compute + instance.settings.exchange,
          .step_time = time_at(instance.model, k0),
          .serial_share = s,
          .amdahl_ceiling = 1 / s,
          .effective_peak = effective_amdahl_peak(instance.model)};
}

}  // namespace

Prediction predict(const LawInstance& instance, const PredictionOptions& options) {
  Prediction prediction;
  prediction.instance = instance;
  prediction.options = options;
  const Ceiling ceiling = ceiling_of(instance.model);
  for (const std::int64_t workers : options.workers) {
    prediction.points.push_back(
        point_at(instance, static_cast<double>(workers), ceiling, options.floor));
  }
  prediction.curve =
      curve_of(instance.model, prediction.points.front().workers, prediction.points.back().workers);
  prediction.answers = answers_of(instance.model, options, prediction.points);
  prediction.recommendation =
      recommendation_of(instance.model, prediction.answers, prediction.points.back().workers);
  prediction.changes = changes_of(instance, options);
  prediction.sensitivity = sensitivity_of(instance, options);
  if (instance.law->profiled) prediction.step = profile_of(instance);
  prediction.assumptions = assumptions_of(instance.model);
  return prediction;
}

}  // namespace kstar
