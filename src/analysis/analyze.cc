#include "kstar/analysis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/beyond.h"
#include "analysis/causes/noise_floor.h"
#include "analysis/fit/measured_curve.h"
#include "analysis/fit/parts.h"
#include "analysis/memory_cause.h"
#include "analysis/notes.h"
#include "analysis/suspicions.h"
#include "base/number.h"
#include "base/try.h"

namespace kstar {

namespace {

bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

Result<void> check(const AnalysisOptions& options) {
  if (!is_positive(options.threshold) || options.threshold > 1) {
    return fail(
        expected("threshold", "an efficiency above 0, at most 1", shortest(options.threshold)));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return fail(expected("confidence", "a number between 0 and 1", shortest(options.confidence)));
  }
  if (options.baseline_time && !is_positive(*options.baseline_time)) {
    return fail(
        expected("baseline_time", "a number of seconds above 0", shortest(*options.baseline_time)));
  }
  for (const double workers : options.predict) {
    if (is_positive(workers) && workers >= 1) continue;
    return fail(expected("predict", "a number of workers, 1 or more", shortest(workers)));
  }
  return {};
}

BendOptions bend_options(const AnalysisOptions& options) {
  return {.threshold = options.threshold,
          .confidence = options.confidence,
          .resamples = options.resamples,
          .seed = options.seed};
}

/// With the largest speedup or, where there is none, in the least time.
int least_time_workers(const ScalingTable& table) {
  const auto gain = [](const ScalingPoint& point) {
    return point.speedup ? point.speedup->point : 1 / point.time.point;
  };
  const ScalingPoint* best = nullptr;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline) continue;
    if (best == nullptr || gain(point) > gain(*best)) best = &point;
  }
  return best != nullptr ? best->workers : table.base_workers;
}

/// The efficiencies of time to train, where the table has none.
EfficiencyCurve curve_of(const TimeToTrain& train, const SampleGroups& groups) {
  EfficiencyCurve curve;
  for (const TrainingPoint& point : train.points) {
    curve.points.push_back({.workers = point.workers,
                            .efficiency = point.efficiency,
                            .samples = &groups.at({true, point.workers})});
  }
  const Estimate& base = train.points.front().time;
  curve.base = curve.points.front().samples;
  curve.base_error = base.standard_error / base.point;
  return curve;
}

void set_bend(const SampleGroups& groups, const AnalysisOptions& options, Analysis& analysis) {
  EfficiencyCurve curve = curve_of(analysis.table, groups);
  if (curve.points.empty() && analysis.time_to_train) {
    curve = curve_of(*analysis.time_to_train, groups);
  }
  WorkersAdvice& advice = analysis.recommendation;
  if (curve.points.empty()) {  // nothing to go by but time: a note says so
    advice.workers = least_time_workers(analysis.table);
    advice.low = analysis.table.points.front().workers;
    advice.high = analysis.table.points.back().workers;
    advice.open = true;
  } else {
    BendAnswer answer = find_bend(curve, bend_options(options));
    analysis.bend = answer.bend;
    advice = answer.advice;
  }
  advice.least_time_workers = least_time_workers(analysis.table);
}

void set_other_baselines(const Study& study, const SampleGroups& groups,
                         const AnalysisOptions& options, Analysis& analysis) {
  if (analysis.table.regime == Regime::kMixed) return;
  if (options.baseline_time) {
    analysis.other_baseline =
        against_time(analysis.table, groups, *options.baseline_time, bend_options(options));
  }
  analysis.own_baseline =
      against_own(analysis.table, groups, scope_of(study), bend_options(options));
}

Result<void> set_models(const SampleGroups& groups, const AnalysisOptions& options,
                        Analysis& analysis) {
  const Curve curve = measured_curve(analysis.table, groups);
  if (curve.points.size() < 2) return {};
  KSTAR_TRY(ModelFit fit, fit_models(curve, {.confidence = options.confidence,
                                             .model = options.model,
                                             .predict = options.predict,
                                             .threshold = options.threshold,
                                             .seed = options.seed}));
  analysis.models = std::move(fit);
  return {};
}

/// The crossing of the fitted curve, and how sure the bend and K* are by the joint posterior of
/// curve and points.
void add_posterior(const ModelFit& fit, const ScalingTable& table, double confidence,
                   std::optional<Bend>& bend, WorkersAdvice* advice) {
  if (bend) bend->continuous = fit.bend;
  std::vector<int> workers;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) workers.push_back(point.workers);
  }
  if (fit.bend_chances.size() == workers.size() + 1) {
    const double most_sure = fit.single_values ? kSureOfSingle : 1;
    set_chances(workers, fit.bend_chances, confidence, most_sure, bend, advice);
  }
}

/// How sure the verdict of a single value is, where no curve tells: it and its base may be off.
bool is_clear_alone(const ScalingPoint& point, const ScalingTable& table) {
  constexpr double kOff = 0.05;
  const double distance = std::fabs(std::log(point.efficiency->point / table.threshold));
  return distance > causes::normal_quantile((1 + table.confidence) / 2) * std::hypot(kOff, kOff);
}

void judge_single_values(ScalingTable& table) {
  for (ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || !point.efficiency) continue;
    if (!is_bounded(*point.efficiency)) point.clear = is_clear_alone(point, table);
  }
}

/// Where one run per K has no interval, the curve through all of them says how sure a verdict is.
void add_verdicts(const ModelFit& fit, double confidence, ScalingTable& table) {
  auto chance = fit.low_chances.begin();
  for (ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || chance == fit.low_chances.end()) continue;
    const double wrong = point.good ? *chance : 1 - *chance;
    if (point.efficiency && !is_bounded(*point.efficiency)) point.clear = wrong < 1 - confidence;
    ++chance;
  }
}

/// The models know the program's own base only.
void add_posteriors(double confidence, Analysis& analysis) {
  judge_single_values(analysis.table);
  if (!analysis.models) return;
  if (analysis.table.base_role == Role::kParallel) {
    add_posterior(*analysis.models, analysis.table, confidence, analysis.bend,
                  &analysis.recommendation);
    add_verdicts(*analysis.models, confidence, analysis.table);
    bound_by_measured(analysis, *analysis.models);
    if (analysis.bend) analysis.bend->continuous = analysis.models->bend;
  } else if (analysis.own_baseline) {
    add_posterior(*analysis.models, analysis.table, confidence, analysis.own_baseline->bend,
                  nullptr);
  }
}

/// Computed by kstar dag: it has no noise, and E falls and rises with how tasks come out even.
const Note* scheduled_note(const Study& study) {
  const auto found = std::find_if(study.notes.begin(), study.notes.end(),
                                  [](const Note& note) { return note.what == "scheduled"; });
  return found == study.notes.end() ? nullptr : &*found;
}

/// As dag has it: of all K that are efficient the one of least time and, of equal times, the
/// smallest.
void advise_scheduled(Analysis& analysis) {
  constexpr double kSame = 1 + 1e-9;
  const ScalingPoint* best = nullptr;
  for (ScalingPoint& point : analysis.table.points) {
    point.clear = true;  // no noise
    if (!point.efficiency || point.efficiency->point * kSame < analysis.table.threshold) continue;
    if (best == nullptr || point.time.point * kSame < best->time.point) best = &point;
  }
  if (best == nullptr) return;
  WorkersAdvice& advice = analysis.recommendation;
  advice.workers = advice.low = advice.high = best->workers;
  advice.open = false;
  advice.good_again.reset();
}

}  // namespace

Result<Analysis> analyze(const Study& study, const AnalysisOptions& options) {
  KSTAR_CHECK(check(options));
  KSTAR_TRY(ScalingTable table, scaling_table(study, {.threshold = options.threshold,
                                                      .confidence = options.confidence,
                                                      .regime = options.regime,
                                                      .statistic = options.statistic}));
  const SampleGroups groups = group_runs(study);
  Analysis analysis;
  analysis.options = options;
  analysis.table = std::move(table);
  analysis.steps = step_stability(study, options.confidence);
  analysis.superlinear = superlinear_question(study, analysis.table);
  analysis.time_to_train = time_to_train(study, analysis.table);
  set_bend(groups, options, analysis);
  set_other_baselines(study, groups, options, analysis);
  KSTAR_CHECK(set_models(groups, options, analysis));
  if (analysis.models) set_leaves_node(study, analysis.table, *analysis.models);
  add_posteriors(options.confidence, analysis);
  if (const Note* scheduled = scheduled_note(study)) {  // what follows explains measured times
    advise_scheduled(analysis);
    analysis.notes = {*scheduled};
    analysis.verdict = decide(analysis);
    return analysis;
  }
  // One form alone knows no other mechanism than its own.
  const bool all_forms = analysis.models && options.model.empty();
  analysis.diagnosis = diagnose(study, analysis.table, options.confidence,
                                all_forms ? &*analysis.models : nullptr, options.passive_cpu);
  add_machine(study, analysis);
  analysis.phases =
      phase_table(study, analysis.table.regime, options.threshold, options.confidence);
  analysis.suspicions = suspicions_of(study, analysis);
  analysis.notes = analysis_notes(study, analysis);
  analysis.verdict = decide(analysis);
  analysis.verdict.machine_workers = machine_workers(study);
  analysis.verdict.next = next_step(study, analysis);
  return analysis;
}

}  // namespace kstar
