#include <fmt/format.h>

#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/try.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// An analysis with models, and how its curves come onto the axis.
struct Fitted {
  const Shown* shown;
  const ModelFit* fit;
  Drawn drawn;
  double factor;

  Estimate at(const PredictedWorkers& place) const { return drawn_at(place, drawn, factor); }
  Estimate on_curve(const PredictedWorkers& place) const {
    return curve_at(shown->analysis->table, place, drawn);
  }
  std::string named(const std::string& what) const {
    return shown->name.empty() ? what : shown->name + ", " + what;
  }
};

std::string prediction_tip(const Fitted& fitted, const PredictedWorkers& at) {
  TipLines tip(fmt::format("{}{} at K = {}", owner(fitted.shown->name),
                           at.extrapolated ? "predicted" : "fitted", significant(at.workers, 9)));
  tip.add(drawn_name(fitted.drawn), drawn_value(fitted.at(at), fitted.drawn));
  if (fitted.drawn == Drawn::kSpeedup) {
    const double factor = base_factor(fitted.shown->analysis->table, Drawn::kEfficiency);
    tip.add("E", drawn_value(scaled(at.efficiency, factor), Drawn::kEfficiency));
  }
  if (fitted.drawn != Drawn::kTime && !fitted.shown->analysis->table.relative_times) {
    tip.add("T", drawn_value(at.time, Drawn::kTime));
  }
  return tip.take();
}

/// Beyond the largest K: the curve goes on from where the measured one ends.
ChartSeries predicted_series(const Fitted& fitted) {
  ChartSeries series;
  series.name = fitted.named("predicted");
  series.role = SeriesRole::kPredicted;
  series.color = fitted.shown->color;
  series.stepped = true;
  for (const PredictedWorkers& at : fitted.fit->predictions) {
    if (!at.extrapolated) {  // asked for because of another study: the curve is there already
      ChartMark inside{.x = at.workers, .y = fitted.on_curve(at).point};
      inside.tip = prediction_tip(fitted, at);
      series.marks.push_back(std::move(inside));
      continue;
    }
    if (series.line.empty() && !fitted.fit->fitted.empty()) {
      const PredictedWorkers& last = fitted.fit->fitted.back();
      const Estimate value = curve_at(fitted.shown->analysis->table, last, fitted.drawn);
      series.line.push_back({last.workers, value.point});
      series.band.push_back({last.workers, value.low, value.high, ""});
    }
    const Estimate value = fitted.at(at);
    const std::string tip = prediction_tip(fitted, at);
    series.line.push_back({at.workers, value.point});
    series.band.push_back({at.workers, value.low, value.high, tip});
    ChartMark mark{.x = at.workers, .y = value.point};  // the band is its interval
    mark.tip = tip;
    series.marks.push_back(std::move(mark));
  }
  return series;
}

/// One form alone.
ChartSeries form_series(const Fitted& fitted, const FittedModel& model) {
  ChartSeries series;
  series.name = fitted.named(fmt::format("{} ({})", model.name, percent(model.weight, 0)));
  series.small = true;
  std::size_t next = 0;
  for (const std::vector<PredictedWorkers>* list :
       {&fitted.fit->fitted, &fitted.fit->predictions}) {
    for (PredictedWorkers at : *list) {
      if (next == model.times.size()) return series;
      at.time.point = model.times[next++];
      const double value = curve_at(fitted.shown->analysis->table, at, fitted.drawn).point;
      if (std::isfinite(value)) series.line.push_back({at.workers, value});
    }
  }
  return series;
}

/// What the method would have said of the largest K without it. S and E follow from what was
/// measured there: S of the hindcast = S T(measured) / T(hindcast).
ChartSeries hindcast_series(const Fitted& fitted) {
  const ModelHindcast& hindcast = *fitted.fit->hindcast;
  ChartSeries series;
  series.name = fitted.named("hindcast");
  series.color = fitted.shown->color;
  series.role = SeriesRole::kPredicted;
  ChartMark mark{.x = hindcast.workers,
                 .y = hindcast.predicted.point,
                 .low = hindcast.predicted.low,
                 .high = hindcast.predicted.high};
  if (fitted.drawn != Drawn::kTime) {
    const ScalingPoint& last = fitted.shown->analysis->table.points.back();
    const Estimate* measured = drawn_at(last, fitted.drawn);
    if (measured == nullptr || last.workers != static_cast<int>(hindcast.workers)) return series;
    const double over = measured->point * hindcast.observed;
    mark.y = over / hindcast.predicted.point;
    mark.low = over / hindcast.predicted.high;
    mark.high = over / hindcast.predicted.low;
  }
  mark.tip = TipLines(fmt::format("{}hindcast of K = {}", owner(fitted.shown->name),
                                  significant(hindcast.workers, 9)))
                 .add("T predicted", time_value_text(hindcast.predicted))
                 .add("T measured", time_text(hindcast.observed))
                 .note(fmt::format("fitted without this K; {} the interval",
                                   hindcast.held ? "inside" : "outside"))
                 .take();
  series.marks.push_back(std::move(mark));
  return series;
}

std::string models_summary(const Fitted& fitted) {
  const ModelFit& fit = *fitted.fit;
  std::string text = fmt::format("the model with the largest weight is {} ({})",
                                 fit.models.front().name, percent(fit.models.front().weight, 0));
  if (!fit.predictions.empty() && fit.predictions.back().extrapolated) {
    const PredictedWorkers& last = fit.predictions.back();
    text += fmt::format("; at K = {} the models predict {}", significant(last.workers, 9),
                        drawn_text(fitted.at(last), fitted.drawn));
  }
  if (fit.hindcast) {
    text += fmt::format(
        "; the hindcast of K = {} is {} too {}", significant(fit.hindcast->workers, 9),
        percent(std::fabs(fit.hindcast->error), 1), fit.hindcast->error < 0 ? "fast" : "slow");
  }
  return sentence(fitted.shown->name, text + ".");
}

/// Subjects are told apart by colour; forms only where there is one subject.
void add(const Fitted& fitted, bool forms, Chart& chart) {
  ChartSeries beyond = predicted_series(fitted);
  if (!beyond.line.empty()) chart.series.push_back(std::move(beyond));
  if (fitted.fit->hindcast) {
    ChartSeries hindcast = hindcast_series(fitted);
    if (!hindcast.marks.empty()) chart.series.push_back(std::move(hindcast));
  }
  for (const FittedModel& model : fitted.fit->models) {
    if (forms && !model.times.empty()) chart.series.push_back(form_series(fitted, model));
  }
}

Result<Chart> models_chart(std::span<const Subject> subjects) {
  KSTAR_CHECK(check_curves(subjects));
  const std::vector<Shown> shown = shown_of(subjects);
  const Drawn drawn = natural(subjects[0].analysis.table);
  Chart chart;
  std::vector<Fitted> all;
  for (const Shown& one : shown) {
    if (!one.analysis->models) continue;
    all.push_back({&one, &*one.analysis->models, drawn, base_factor(one.analysis->table, drawn)});
  }
  if (all.empty()) {
    return fail({.where = subjects[0].name,
                 .message = "there are no models: they need times at two K or more",
                 .hint = "measure another K"});
  }
  add_curves(shown, drawn, chart);
  for (const Fitted& one : all) {
    add(one, all.size() == 1, chart);
    chart.summary += (chart.summary.empty() ? "" : " ") + models_summary(one);
  }
  finish(shown, drawn, chart);
  chart.title = "Models: " + chart.title;
  chart.title[8] = static_cast<char>(std::tolower(static_cast<unsigned char>(chart.title[8])));
  chart.caption = caption_of(subjects, chart,
                             "Bands include noise, parameters, choice of model and misfit; beyond "
                             "the largest measured K they assume that the job scales as before.");
  return chart;
}

}  // namespace

const ChartKind kModelsChart = {.name = "models",
                                .help = "the fitted models with bands, hindcast and predictions",
                                .needs = "two K or more",
                                .place_in_text = 2,
                                .make = models_chart};

}  // namespace kstar::view
