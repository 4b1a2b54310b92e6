#include "kstar/models.h"
#include "base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "analysis/fit/mechanisms.h"
#include "analysis/fit/mixture.h"
#include "analysis/fit/next.h"
#include "analysis/fit/quality.h"
#include "analysis/fit/questions.h"
#include "analysis/fit/terms.h"
#include "analysis/fit/usl_model.h"
#include "base/number.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using namespace curves;  // NOLINT: this file is where they come together

constexpr std::size_t kDraws = 1000;

Result<std::vector<const Form*>> forms_of(const Curve& curve, const std::string& model) {
  const bool growing = curve.regime == Regime::kWeak;
  std::vector<const Form*> forms;
  std::string names;
  for (const Form& form : growing ? forms_of_growing_work() : forms_of_fixed_work()) {
    names.append(names.empty() ? "" : ", ").append(form.name);
    if (model.empty() || model == form.name) forms.push_back(&form);
  }
  if (forms.empty()) {
    return fail(expected(
        "--model", fmt::format("{}, usl ({} work)", names, growing ? "growing" : "fixed"), model));
  }
  return forms;
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
  constexpr double kPerDoubling = 8;
  constexpr std::size_t kMany = 64;
  const double fewest = samples.size() < kMany ? 4 : 1;
  std::vector<double> places;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    places.push_back(samples[i].workers);
    if (i + 1 == samples.size()) break;
    const double ratio = samples[i + 1].workers / samples[i].workers;
    const double steps = std::max(fewest, std::floor(kPerDoubling * std::log2(ratio)));
    for (double j = 1; j < steps; ++j) {
      places.push_back(samples[i].workers * std::pow(ratio, j / steps));
    }
  }
  return places;
}

std::optional<ModelHindcast> hindcast_of(std::span<const Form* const> forms,
                                         const CurveSamples& samples, const Question& asked) {
  constexpr std::size_t kFewest = 4;
  if (samples.points.size() < kFewest) return std::nullopt;
  const Sample& last = samples.points.back();
  const Posterior before = posterior_of(forms, without_last(samples));
  ModelHindcast hindcast;
  hindcast.workers = last.workers;
  // What was observed has its own noise, which a prediction of the true time has not.
  Question noisy = asked;
  noisy.common_error = std::sqrt(last.variance);
  hindcast.predicted = predicted_at(before, last.workers, noisy).time;
  hindcast.observed = std::exp(last.log_time);
  hindcast.error = hindcast.predicted.point / hindcast.observed - 1;
  hindcast.held =
      hindcast.predicted.low <= hindcast.observed && hindcast.observed <= hindcast.predicted.high;
  return hindcast;
}

/// The median of what was drawn of that form.
double form_time_at(const Draws& draws, std::string_view form, const Spot& spot) {
  std::vector<double> logs;
  for (const Draw& draw : draws.all()) {
    if (draw.candidate->form->name == form) logs.push_back(draws.log_time_at(draw, spot));
  }
  if (logs.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(upper_median_of(std::move(logs)));
}

void set_form_times(const Draws& draws, ModelFit& fit) {
  if (fit.models.size() < 2) return;
  for (const std::vector<PredictedWorkers>* list : {&fit.fitted, &fit.predictions}) {
    for (const PredictedWorkers& at : *list) {
      const Spot spot = draws.spot_of(at.workers);
      for (FittedModel& model : fit.models) {
        if (model.weight < kDrawnWeight) continue;
        model.times.push_back(form_time_at(draws, model.name, spot));
      }
    }
  }
}

void set_answers(const Draws& draws, const Question& asked, ModelFit& fit) {
  for (const double k : drawing_places(draws.samples())) {
    fit.fitted.push_back(drawn_at(draws, k, asked));
  }
  set_form_times(draws, fit);
  fit.ends = end_of(draws, asked);
  fit.limit_chance = limit_chance(draws, asked);
  fit.bend = bend_of(draws, asked);
  fit.bend_chances = first_bad_chances(draws, asked);
  fit.low_chances = low_chances(draws, asked);
  fit.best_workers = best_workers_of(draws, asked);
  fit.ceiling = ceiling_of(draws, asked, fit.ends);
}

/// What a prediction rests on.
void set_reach(std::span<const Sample> samples, ModelFit& fit) {
  constexpr double kFar = 4;
  const double largest = samples.back().workers;
  const bool one_node = std::all_of(samples.begin(), samples.end(),
                                    [](const Sample& sample) { return sample.nodes == 1; });
  for (PredictedWorkers& at : fit.predictions) {
    at.far = at.workers > kFar * largest;
    at.leaves_node = one_node && at.extrapolated;
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
  fit.bend_chances.clear();
  fit.low_chances.clear();
  fit.ceiling.reset();
}

}  // namespace

Result<ModelFit> fit_models(const Curve& curve, const FitOptions& options) {
  KSTAR_TRY(const CurveSamples samples, samples_of(curve));
  if (options.model == "usl") return fit_usl_model(curve, options);
  KSTAR_TRY(const std::vector<const Form*> forms, forms_of(curve, options.model));

  const Question asked{.confidence = options.confidence,
                       .threshold = options.threshold,
                       .work = Work(curve),
                       .common_error = curve.common_error};
  const Posterior posterior = posterior_of(forms, samples);
  ModelFit fit;
  fit.models = fitted_models(posterior, options.confidence, fit.notes);
  fit.goodness = goodness_of(posterior);
  fit.single_values = samples.single;
  fit.mechanisms = mechanism_chances(posterior);
  for (const double k : options.predict) {
    fit.predictions.push_back(predicted_at(posterior, k, asked));
  }
  set_reach(samples.points, fit);
  fit.hindcast = hindcast_of(forms, samples, asked);
  const Draws draws(posterior, kDraws);
  set_answers(draws, asked, fit);
  const double target = options.predict.empty()
                            ? 2 * samples.points.back().workers
                            : *std::max_element(options.predict.begin(), options.predict.end());
  fit.next = next_measurements(draws, curve.points, target);
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
