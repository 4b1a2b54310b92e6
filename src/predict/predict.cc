#include <algorithm>
#include <cmath>

#include "kstar/prediction.h"
#include "predict/changes.h"

namespace kstar {

namespace {

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
  answer_from_sweep(answers, points);
  return answers;
}

Recommendation recommendation_of(const CostModel& model, const PredictionAnswers& answers) {
  Recommendation recommendation{.workers = *answers.last_good.exact};
  if (recommendation.workers >= kMostWorkers || !answers.first_below.exact) return recommendation;
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
  prediction.recommendation = recommendation_of(instance.model, prediction.answers);
  prediction.changes = changes_of(instance, options);
  prediction.sensitivity = sensitivity_of(instance, options);
  if (instance.law->profiled) prediction.step = profile_of(instance);
  prediction.assumptions = assumptions_of(instance.model);
  return prediction;
}

}  // namespace kstar
