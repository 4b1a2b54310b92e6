#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "kstar/prediction_report.h"
#include "report/prediction_tables.h"

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
  ChartSeries series{.name = name, .role = SeriesRole::kCurve, .line = {}, .marks = {}};
  for (const CurveSample& sample : prediction.curve) {
    series.line.push_back({sample.workers, efficiency ? sample.efficiency : sample.speedup});
  }
  for (const PredictedPoint& point : prediction.points) {
    series.marks.push_back({point.workers, efficiency ? point.efficiency : point.speedup});
  }
  return series;
}

ChartSeries straight(std::string name, SeriesRole role, std::vector<ChartPoint> points) {
  return {.name = std::move(name), .role = role, .line = std::move(points), .marks = {}};
}

double highest(const Chart& chart) {
  double high = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.line) high = std::max(high, point.y);
  }
  return high;
}

double lowest(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity();
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.line) low = std::min(low, point.y);
  }
  return low;
}

void add_curves(std::span<const Prediction> predictions, bool efficiency, Chart& chart) {
  for (const Prediction& prediction : predictions) {
    const bool fixed_problem = is_law(prediction, WorkGrowth::kFixed);
    // What tells the regimes apart comes first, so that a narrow screen does not cut it off.
    const std::string name = fmt::format("{} ({}) {}", prediction.instance.law->title,
                                         fixed_problem ? "fixed problem" : "problem grows with K",
                                         prediction.instance.label());
    chart.series.push_back(series_of(prediction, name, efficiency));
  }
}

/// The ceilings worth drawing: those that the picture would not have to shrink for.
void add_ceilings(std::span<const Prediction> predictions, Chart& chart) {
  const double curves_reach = highest(chart);
  for (const Prediction& prediction : predictions) {
    const Ceiling& ceiling = prediction.answers.ceiling;
    if (!ceiling.bounded() || ceiling.speedup > 4 * curves_reach) continue;
    const std::string name = fmt::format("ceiling {}x of {}", significant(ceiling.speedup, 4),
                                         prediction.instance.label());
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
  chart.series.push_back(
      straight("ideal: E = 1", SeriesRole::kIdeal, {{chart.x.low, 1}, {chart.x.high, 1}}));
  chart.series.push_back(straight(fmt::format("threshold {}", significant(threshold, 4)),
                                  SeriesRole::kBound,
                                  {{chart.x.low, threshold}, {chart.x.high, threshold}}));
  chart.y.low = 0;
  chart.y.high = std::max(1.0, highest(chart));
  return chart;
}

Chart speedup_chart(std::span<const Prediction> predictions, Chart chart) {
  const double base = predictions[0].instance.model.base_workers;
  const bool further = base > 1;
  chart.title = further ? "Further speedup against workers. Ideal is the line S = K/K0."
                        : "Speedup against workers. Ideal is the line S = K.";
  chart.y.label = "speedup S(K)";
  add_curves(predictions, false, chart);
  add_ceilings(predictions, chart);
  const double top = highest(chart);
  // The ideal line leaves the picture at the top where it would squeeze the curves flat; the curves
  // and their ceilings never leave it.
  chart.y.low = chart.x.log ? std::min({1.0, chart.x.low / base, lowest(chart)}) : 0;
  chart.y.high =
      chart.x.log ? std::max({2.0, chart.x.high / base, top}) : std::max(1.0, 1.25 * top);
  chart.y.log = chart.x.log;
  std::vector<ChartPoint> ideal;
  for (const CurveSample& sample : predictions[0].curve) {
    ideal.push_back({sample.workers, sample.workers / base});
  }
  chart.series.push_back(
      straight(further ? fmt::format("ideal: S = K/{}", significant(base, 6)) : "ideal: S = K",
               SeriesRole::kIdeal, std::move(ideal)));
  return chart;
}

}  // namespace

Chart to_chart(std::span<const Prediction> predictions, AxisScale scale) {
  const double first = predictions[0].points.front().workers;
  const double last = predictions[0].points.back().workers;
  Chart chart;
  chart.x.label = "workers K";
  chart.x.log = scale == AxisScale::kLog || (scale == AxisScale::kAuto && last / first >= 64);
  chart.x.low = first;
  chart.x.high = last > first ? last : 2 * first;
  const bool efficiency = draws_efficiency(predictions);
  chart = efficiency ? efficiency_chart(predictions, std::move(chart))
                     : speedup_chart(predictions, std::move(chart));
  chart.title += chart.y.log ? " (log axes)" : chart.x.log ? " (log K)" : "";
  return chart;
}

}  // namespace kstar
