#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/number.h"
#include "kstar/prediction_report.h"
#include "report/prediction_cells.h"

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
    const std::string name = fmt::format("ceiling {}x of {}", significant(ceiling.speedup, 4),
                                         curve_parameters(prediction, predictions));
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

/// One ideal line for every base, named so that it is not looked for where it is not.
void add_ideals(std::span<const Prediction> predictions, Chart& chart) {
  std::set<double> bases;
  for (const Prediction& prediction : predictions) {
    bases.insert(prediction.instance.model.base_workers);
  }
  for (const double base : bases) {
    constexpr int kPieces = 64;
    std::vector<ChartPoint> line;
    for (int i = 0; i <= kPieces; ++i) {
      const double share = static_cast<double>(i) / kPieces;
      const double k = chart.x.log ? chart.x.low * std::pow(chart.x.high / chart.x.low, share)
                                   : chart.x.low + share * (chart.x.high - chart.x.low);
      line.push_back({k, k / base});
    }
    std::string name =
        base > 1 ? fmt::format("ideal: S = K/{}", significant(base, 6)) : "ideal: S = K";
    if (line.front().y > chart.y.high) name += " (above the picture)";
    chart.series.push_back(straight(std::move(name), SeriesRole::kIdeal, std::move(line)));
  }
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
  add_ideals(predictions, chart);
  return chart;
}

}  // namespace

Chart to_chart(std::span<const Prediction> predictions, const PredictionView& view) {
  double first = predictions[0].points.front().workers;
  double last = predictions[0].points.back().workers;
  if (first == last) {  // one K stands in the middle
    first /= 2;
    last *= 2;
  }
  Chart chart;
  chart.x.label = "workers K";
  chart.x.log =
      view.scale == AxisScale::kLog || (view.scale == AxisScale::kAuto && last / first >= 64);
  chart.x.low = first;
  chart.x.high = last;
  chart.x.whole = true;
  const bool efficiency =
      draws_efficiency(predictions) || view.side_by_side == Quantity::kEfficiency;
  chart = efficiency ? efficiency_chart(predictions, std::move(chart))
                     : speedup_chart(predictions, std::move(chart));
  chart.title += chart.y.log ? " (log axes)" : chart.x.log ? " (log K)" : "";
  return chart;
}

}  // namespace kstar
