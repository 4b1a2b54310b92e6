#include "kstar/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "analysis/fit/measured_curve.h"
#include "analysis/fit/parts.h"
#include "base/number.h"
#include "base/try.h"

namespace kstar {

namespace {

using Notes = std::vector<Note>;

void add(Severity severity, const char* what, std::string where, std::string text, Notes& notes) {
  notes.push_back(
      {.severity = severity, .what = what, .where = std::move(where), .text = std::move(text)});
}

std::string name_of_point(const ScalingPoint& point) {
  return point.role == Role::kBaseline ? "baseline" : fmt::format("K = {}", point.workers);
}

void note_failed(const ScalingTable& table, Notes& notes) {
  for (const ScalingPoint& point : table.points) {
    if (point.failed == 0) continue;
    const std::size_t all = point.failed + point.warm_up + point.times.n;
    add(Severity::kWarning, "runs-failed", name_of_point(point),
        fmt::format("{} of {} runs failed and are not used", point.failed, all), notes);
  }
}

void note_single(const Analysis& analysis, Notes& notes) {
  std::string workers;
  std::size_t singles = 0;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.times.n > 1) continue;
    ++singles;
    workers += fmt::format("{}{}", workers.empty() ? "" : ", ", name_of_point(point));
  }
  if (singles == 0) return;
  const bool all = singles == analysis.table.points.size();
  add(Severity::kWarning, "one-value", all ? "every K" : workers,
      fmt::format(
          "one run per K does not show the noise: {}, and the bend cannot be resampled",
          analysis.models ? "intervals come only from the models" : "there are no intervals"),
      notes);
}

void note_base(const ScalingTable& table, Notes& notes) {
  if (table.base_workers == 1) return;
  add(Severity::kInfo, "base-workers", fmt::format("K = {}", table.base_workers),
      fmt::format("K = 1 was not measured: S and E are relative to K = {}, assuming no loss there",
                  table.base_workers),
      notes);
}

/// Time to train has an efficiency of its own, where the table has none.
void note_missing_base(const Analysis& analysis, Notes& notes) {
  const ScalingTable& table = analysis.table;
  if (analysis.time_to_train) return;
  if (has_efficiency(table)) return;
  const bool mixed = table.regime == Regime::kMixed;
  add(Severity::kWarning, "no-efficiency", "",
      mixed ? "the problem changes with K in a way that is neither strong nor weak: there is no "
              "speedup, no efficiency and no recommended number of workers"
            : "the base has no usable time: no number of workers can be recommended",
      notes);
}

void note_training(const Study& study, const Analysis& analysis, Notes& notes) {
  if (analysis.time_to_train) {
    const Notes& more = analysis.time_to_train->notes;
    notes.insert(notes.end(), more.begin(), more.end());
    return;
  }
  std::set<int> workers;
  for (const Run& run : study.runs) {
    if (run.work && run.role == Role::kParallel && counts(run)) workers.insert(run.workers);
  }
  if (workers.size() < 2) return;
  add(Severity::kWarning, "work-unlike", "",
      "not every run records what it needed to converge, or the unit differs between K: time to "
      "train is not split into factors",
      notes);
}

/// One bad K between good ones is more likely an accident of that K than a bend.
void note_recovery(const Analysis& analysis, Notes& notes) {
  if (!analysis.bend || !analysis.recommendation.good_again) return;
  add(Severity::kWarning, "not-monotone", fmt::format("K = {}", analysis.bend->first_bad),
      fmt::format("E is below {} here, and above it again at K = {}: check what is wrong at this K",
                  significant(analysis.table.threshold, 3), *analysis.recommendation.good_again),
      notes);
}

void note_drift(const std::vector<StepStability>& all, Notes& notes) {
  constexpr double kMuch = 0.02;
  for (const StepStability& steps : all) {
    if (!steps.drift || !is_bounded(*steps.drift)) continue;
    const bool slower = steps.drift->low > 1 + kMuch, faster = steps.drift->high < 1 - kMuch;
    if (!slower && !faster) continue;
    add(Severity::kWarning, "step-drift", fmt::format("K = {}", steps.workers),
        fmt::format(
            "steps get {} inside a run: the last third takes {} of the first ({} to {}); {}",
            slower ? "slower" : "faster", percent(steps.drift->point, 1),
            percent(steps.drift->low, 1), percent(steps.drift->high, 1),
            slower ? "possible reasons: heat, memory, or a growing problem"
                   : "warm-up steps may be included"),
        notes);
  }
}

/// What of the study a reader of the analysis must know: its own warnings, failed runs, K without
/// an interval, a base that is not one worker, an efficiency that comes back, steps that drift.
std::vector<Note> analysis_notes(const Study& study, const Analysis& analysis) {
  Notes notes;
  for (const Note& note : study.notes) {
    if (note.severity != Severity::kInfo) notes.push_back(note);
  }
  notes.insert(notes.end(), analysis.table.notes.begin(), analysis.table.notes.end());
  note_failed(analysis.table, notes);
  note_base(analysis.table, notes);
  note_missing_base(analysis, notes);
  note_training(study, analysis, notes);
  note_single(analysis, notes);
  note_recovery(analysis, notes);
  note_drift(analysis.steps, notes);
  return notes;
}

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
    set_chances(workers, fit.bend_chances, confidence, bend, advice);
  }
}

/// Where one run a K has no interval, the curve through all of them says how sure a verdict is.
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
  if (!analysis.models) return;
  if (analysis.table.base_role == Role::kParallel) {
    add_posterior(*analysis.models, analysis.table, confidence, analysis.bend,
                  &analysis.recommendation);
    add_verdicts(*analysis.models, confidence, analysis.table);
  } else if (analysis.own_baseline) {
    add_posterior(*analysis.models, analysis.table, confidence, analysis.own_baseline->bend,
                  nullptr);
  }
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
  add_posteriors(options.confidence, analysis);
  analysis.diagnosis = diagnose(study, analysis.table, options.confidence);
  analysis.notes = analysis_notes(study, analysis);
  return analysis;
}

}  // namespace kstar
