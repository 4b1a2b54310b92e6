#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "kstar/chart_parts.h"
#include "kstar/prediction_report.h"
#include "report/predict/answer.h"
#include "report/predict/tables.h"

namespace kstar {

namespace {

bool is_law(const Prediction& prediction, WorkGrowth growth) {
  return prediction.instance.model.work_growth == growth;
}

/// Weak curves are efficiencies; Gustafson's is a speedup like Amdahl's, of a larger problem.
bool draws_efficiency(std::span<const Prediction> predictions) {
  return std::any_of(predictions.begin(), predictions.end(),
                     [](const Prediction& p) { return is_law(p, WorkGrowth::kProportional); });
}

ChartSeries series_of(const Prediction& prediction, const std::string& name, bool efficiency) {
  ChartSeries series;
  series.name = name;
  for (const CurveSample& sample : prediction.curve) {
    series.line.push_back({sample.workers, efficiency ? sample.efficiency : sample.speedup});
  }
  for (const PredictedPoint& point : prediction.points) {
    series.marks.push_back({point.workers, efficiency ? point.efficiency : point.speedup});
  }
  return series;
}

const char* regime_words(const Prediction& prediction) {
  if (prediction.instance.model.regime == Regime::kThroughput) return "throughput";
  return is_law(prediction, WorkGrowth::kFixed) ? "fixed problem" : "problem grows with K";
}

/// What tells the curve from the others of its law, or all its parameters when nothing does.
std::string curve_parameters(const Prediction& prediction, std::span<const Prediction> all) {
  std::string text;
  for (const ParameterValue& value : prediction.instance.parameters) {
    if (!varies(value.name, all)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", value.symbol, value.text);
  }
  return text.empty() ? prediction.instance.label() : text;
}

void add_curves(std::span<const Prediction> predictions, bool efficiency, Chart& chart) {
  for (const Prediction& prediction : predictions) {
    // What tells the regimes apart comes first, so that a narrow screen does not cut it off.
    const std::string name =
        fmt::format("{} ({}) {}", prediction.instance.law->title, regime_words(prediction),
                    curve_parameters(prediction, predictions));
    chart.series.push_back(series_of(prediction, name, efficiency));
  }
}

/// The ceilings worth drawing: those that the picture would not have to shrink for.
void add_ceilings(std::span<const Prediction> predictions, Chart& chart) {
  const double curves_reach = highest(chart);
  for (const Prediction& prediction : predictions) {
    const Ceiling& ceiling = prediction.answers.ceiling;
    if (!ceiling.bounded() || ceiling.speedup > 4 * curves_reach) continue;
    const std::string owner = curve_parameters(prediction, predictions);
    const std::string name = fmt::format("ceiling {}x{}", significant(ceiling.speedup, 4),
                                         predictions.size() > 1 ? " of " + owner : "");
    chart.series.push_back(
        straight(name, SeriesRole::kBound,
                 {{chart.x.low, ceiling.speedup}, {chart.x.high, ceiling.speedup}}));
  }
}

Chart efficiency_chart(std::span<const Prediction> predictions, Chart chart) {
  const double threshold = predictions[0].options.threshold;
  chart.title = "Efficiency against workers. Ideal is the flat line at 1.";
  chart.y.label = "efficiency E(K)";
  add_curves(predictions, true, chart);
  add_ideal_efficiency(threshold, chart);
  chart.y.low = 0;
  chart.y.high = std::max(1.0, highest(chart));
  return chart;
}

/// One ideal line for every base, named so that it is not looked for where it is not.
void add_ideals(std::span<const Prediction> predictions, Chart& chart) {
  std::set<double> bases;
  for (const Prediction& prediction : predictions) {
    bases.insert(prediction.instance.model.base_workers);
  }
  for (const double base : bases) chart.series.push_back(ideal_speedup(chart, base));
}

Chart speedup_chart(std::span<const Prediction> predictions, Chart chart) {
  const double base = predictions[0].instance.model.base_workers;
  const bool further = base > 1;
  chart.title = further ? "Further speedup against workers. Ideal is the line S = K/K0."
                        : "Speedup against workers. Ideal is the line S = K.";
  add_curves(predictions, false, chart);
  add_ceilings(predictions, chart);
  chart.y = speedup_axis(chart, base);
  add_ideals(predictions, chart);
  return chart;
}

/// The K to run on; of several curves there are several, and the text has them.
void add_advice(std::span<const Prediction> predictions, Chart& chart) {
  const double workers = predictions[0].recommendation.workers;
  if (predictions.size() > 1 || workers < chart.x.low || workers > chart.x.high) return;
  chart.rules.push_back({.name = "K*", .at = workers, .tip = run_on(predictions[0])});
}

/// The formulas, for who sees the picture without the command.
std::string formulas_of(std::span<const Prediction> predictions) {
  std::string text;
  const Law* last = nullptr;
  for (const Prediction& prediction : predictions) {
    if (prediction.instance.law == last) continue;
    last = prediction.instance.law;
    text += fmt::format("{}{}: {}.", text.empty() ? "" : " ", last->title, last->formula);
  }
  return text;
}

std::string summary_of(std::span<const Prediction> predictions) {
  std::string text;
  for (const Prediction& prediction : predictions) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : " ", prediction.instance.law->title,
                        run_on(prediction));
  }
  return text;
}

/// "K = 8 / T 0.169 / S 5.93 / E 0.741", for who points at it on a page.
std::string tip_of(const PredictedPoint& point, const std::string& name) {
  return fmt::format("{}{}K = {}\nT\t{}\nS\t{}\nE\t{}", name, name.empty() ? "" : ", ",
                     workers_cell(point.workers), significant(point.time, 4),
                     significant(point.speedup, 4), fixed(point.efficiency, 3));
}

void add_tips(std::span<const Prediction> predictions, Chart& chart) {
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    ChartSeries& curve = chart.series[i];
    const std::string name =
        predictions.size() > 1 ? curve_parameters(predictions[i], predictions) : "";
    for (std::size_t p = 0; p < curve.marks.size(); ++p) {
      curve.marks[p].tip = tip_of(predictions[i].points[p], name);
    }
  }
}

}  // namespace

Chart to_chart(std::span<const Prediction> predictions, const PredictionView& view) {
  const double first = predictions[0].points.front().workers;
  const double last = predictions[0].points.back().workers;
  Chart chart;
  chart.x = worker_axis(first, last,
                        view.scale == AxisScale::kLog ||
                            (view.scale == AxisScale::kAuto && last / first >= kLogFrom));
  const bool efficiency =
      draws_efficiency(predictions) || view.side_by_side == Quantity::kEfficiency;
  chart = efficiency ? efficiency_chart(predictions, std::move(chart))
                     : speedup_chart(predictions, std::move(chart));
  name_axes(chart);
  add_advice(predictions, chart);
  if (view.page) add_tips(predictions, chart);
  chart.kind = efficiency ? "efficiency" : "speedup";
  chart.caption = formulas_of(predictions);
  chart.summary = summary_of(predictions);
  return chart;
}

}  // namespace kstar
