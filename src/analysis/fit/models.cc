#include "kstar/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "analysis/fit/curve_check.h"
#include "analysis/fit/curve_next.h"
#include "analysis/fit/curve_questions.h"
#include "analysis/fit/curve_terms.h"
#include "analysis/fit/usl_model.h"
#include "base/number.h"
#include "base/try.h"

namespace kstar {

namespace {

using namespace curves;  // NOLINT: this file is where they come together

constexpr std::size_t kDraws = 1000;

/// The forms to average, and their weights before any data.
struct Candidates {
  std::vector<Form> forms;
  std::vector<double> priors;
};

Result<Candidates> candidates_of(const Curve& curve, const Prior& prior, const std::string& model) {
  const bool growing = curve.regime == Regime::kWeak;
  const std::span<const Form> all = growing ? forms_of_growing_work() : forms_of_fixed_work();
  const std::span<const double> priors =
      growing ? std::span<const double>(prior.growing_work) : prior.fixed_work;
  Candidates candidates;
  std::string names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    names.append(names.empty() ? "" : ", ").append(all[i].name);
    if (!model.empty() && model != all[i].name) continue;
    candidates.forms.push_back(all[i]);
    candidates.priors.push_back(model.empty() ? priors[i] : 1);
  }
  if (candidates.forms.empty()) {
    return fail(expected(
        "--model", fmt::format("{}, usl ({} work)", names, growing ? "growing" : "fixed"), model));
  }
  return candidates;
}

std::vector<std::string> assumptions_of(const Curve& curve) {
  std::vector<std::string> list = {
      "Beyond the largest measured K, the job follows one of these models, and their misfit grows "
      "with every doubling; the interval includes this. It does not include what was never "
      "measured: a different network, a full machine, a memory limit."};
  if (curve.origin == CurveOrigin::kPublished) {
    list.emplace_back(
        "These are single values, or settings change with K: each point is assumed to have its own "
        "error, as in published results.");
  } else {
    list.emplace_back(
        "One program and one problem, repeated at every K: variation is assumed to be noise.");
  }
  return list;
}

/// The K measured, and so many between them that a line through all has no corners.
std::vector<double> drawing_places(std::span<const Sample> samples) {
  constexpr double kFewest = 4, kPerDoubling = 8;
  std::vector<double> places;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    places.push_back(samples[i].workers);
    if (i + 1 == samples.size()) break;
    const double ratio = samples[i + 1].workers / samples[i].workers;
    const double steps = std::max(kFewest, std::ceil(kPerDoubling * std::log2(ratio)));
    for (double j = 1; j < steps; ++j) {
      places.push_back(samples[i].workers * std::pow(ratio, j / steps));
    }
  }
  return places;
}

std::optional<ModelHindcast> hindcast_of(const Candidates& candidates,
                                         std::span<const Sample> samples, const Prior& prior,
                                         double confidence) {
  constexpr std::size_t kFewest = 4;
  if (samples.size() < kFewest) return std::nullopt;
  const Sample& last = samples.back();
  const Average before =
      average_of(candidates.forms, candidates.priors, samples.first(samples.size() - 1), prior);
  ModelHindcast hindcast;
  hindcast.workers = last.workers;
  // What was observed has its own noise, which a prediction of the true time has not.
  const std::vector<Component> time = log_time_at(before, last.workers);
  hindcast.predicted = Mixture(with_error(time, last.error)).estimate(confidence);
  hindcast.observed = std::exp(last.log_time);
  hindcast.error = hindcast.predicted.point / hindcast.observed - 1;
  hindcast.held =
      hindcast.predicted.low <= hindcast.observed && hindcast.observed <= hindcast.predicted.high;
  return hindcast;
}

/// The median of what was drawn of that form.
double form_time_at(std::span<const Draw> draws, std::string_view form, double workers) {
  std::vector<double> logs;
  for (const Draw& draw : draws) {
    if (draw.form->name == form) logs.push_back(draw.log_time_at(workers));
  }
  if (logs.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(logs.size() / 2);
  std::nth_element(logs.begin(), middle, logs.end());
  return std::exp(*middle);
}

void set_form_times(std::span<const Draw> draws, ModelFit& fit) {
  if (fit.models.size() < 2) return;
  for (FittedModel& model : fit.models) {
    if (model.weight < kDrawnWeight) continue;
    for (const std::vector<PredictedWorkers>* list : {&fit.fitted, &fit.predictions}) {
      for (const PredictedWorkers& at : *list) {
        model.times.push_back(form_time_at(draws, model.name, at.workers));
      }
    }
  }
}

/// A problem that changes with K has times, and no speedup.
void leave_out_speedups(ModelFit& fit) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<PredictedWorkers>* list : {&fit.fitted, &fit.predictions}) {
    for (PredictedWorkers& at : *list) {
      at.speedup = at.efficiency = Estimate{.point = kNone, .low = kNone, .high = kNone};
    }
  }
  fit.bend.reset();
  fit.ceiling.reset();
}

}  // namespace

Result<ModelFit> fit_models(const Curve& curve, const FitOptions& options) {
  KSTAR_TRY(const std::vector<Sample> samples, samples_of(curve));
  if (options.model == "usl") return fit_usl_model(curve, options);
  const Prior& prior = prior_of(curve.origin);
  KSTAR_TRY(const Candidates candidates, candidates_of(curve, prior, options.model));

  const Average average = average_of(candidates.forms, candidates.priors, samples, prior);
  const Base base{samples.front().workers, samples.front().log_time, samples.front().error,
                  curve.regime == Regime::kWeak};
  ModelFit fit;
  fit.models = fitted_models(average, options.confidence, fit.notes);
  for (const double k : options.predict) {
    fit.predictions.push_back(predicted_at(average, base, k, options.confidence));
  }
  fit.hindcast = hindcast_of(candidates, samples, prior, options.confidence);

  const std::vector<Draw> draws = draws_of(average, kDraws);
  for (const double k : drawing_places(samples)) {
    fit.fitted.push_back(drawn_at(draws, base, k, options.confidence));
  }
  set_form_times(draws, fit);
  fit.bend = bend_of(draws, base, options.threshold, options.confidence);
  fit.best_workers = best_workers_of(draws, base, options.confidence);
  fit.ceiling = ceiling_of(draws, base, options.confidence);
  std::vector<CurvePoint> points = curve.points;
  std::sort(points.begin(), points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.workers < b.workers; });
  const double target = options.predict.empty()
                            ? 2 * average.reference
                            : *std::max_element(options.predict.begin(), options.predict.end());
  fit.next = next_measurements(draws, samples, points, target);
  fit.assumptions = assumptions_of(curve);
  if (curve.regime == Regime::kMixed) leave_out_speedups(fit);
  return fit;
}

std::span<const ModelForm> model_forms() {
  static const std::vector<ModelForm> kForms = [] {
    std::vector<ModelForm> list;
    for (const std::span<const Form> set : {forms_of_fixed_work(), forms_of_growing_work()}) {
      for (const Form& form : set) {
        const bool known = std::any_of(list.begin(), list.end(), [&](const ModelForm& other) {
          return other.name == form.name;
        });
        if (!known) list.push_back({form.name, form.formula, form.help});
      }
    }
    list.push_back({"usl", "X = g K / (1 + a (K-1) + b K (K-1))",
                    "the universal scalability law, by unweighted least squares"});
    return list;
  }();
  return kForms;
}

}  // namespace kstar
