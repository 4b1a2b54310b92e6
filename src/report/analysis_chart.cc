#include <algorithm>
#include <limits>

#include "kstar/analysis_report.h"
#include "report/chart_parts.h"

namespace kstar {

namespace {

/// What of a point or a prediction is drawn.
enum class Drawn { kSpeedup, kEfficiency, kTime };

/// Where the regime has no speedup, times are all there is.
Drawn drawn_of(const ScalingTable& table) {
  const bool any = std::any_of(table.points.begin(), table.points.end(),
                               [](const ScalingPoint& point) { return point.speedup.has_value(); });
  if (!any) return Drawn::kTime;
  return table.regime == Regime::kWeak ? Drawn::kEfficiency : Drawn::kSpeedup;
}

ChartSeries measured(const ScalingTable& table, Drawn drawn) {
  ChartSeries series;
  series.name = "measured";
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline) continue;
    const double k = point.workers;
    if (drawn == Drawn::kTime) series.marks.push_back({k, point.time.point});
    if (drawn == Drawn::kSpeedup && point.speedup)
      series.marks.push_back({k, point.speedup->point});
    if (drawn == Drawn::kEfficiency && point.efficiency) {
      series.marks.push_back({k, point.efficiency->point});
    }
  }
  return series;
}

/// The curve is relative to the parallel program's smallest K; the points may be relative to a
/// baseline program. This is what lies between.
double to_base(const ScalingTable& table, Drawn drawn) {
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || !point.speedup) continue;
    return drawn == Drawn::kSpeedup ? point.speedup->point : point.efficiency->point;
  }
  return 1;
}

ChartPoint placed(const PredictedWorkers& at, Drawn drawn, double factor) {
  if (drawn == Drawn::kTime) return {at.workers, at.time.point};
  return {at.workers, factor * (drawn == Drawn::kSpeedup ? at.speedup.point : at.efficiency.point)};
}

ChartSeries fitted(const Analysis& analysis, Drawn drawn) {
  ChartSeries series;
  series.name = "fitted";
  const double factor = to_base(analysis.table, drawn);
  for (const PredictedWorkers& at : analysis.models->fitted) {
    series.line.push_back(placed(at, drawn, factor));
  }
  for (const PredictedWorkers& at : analysis.models->predictions) {
    series.line.push_back(placed(at, drawn, factor));
    series.marks.push_back({series.line.back().x, series.line.back().y});
  }
  if (!series.marks.empty()) series.name = "fitted, and predicted";
  std::sort(series.line.begin(), series.line.end(),
            [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  return series;
}

/// The smallest and the largest K drawn.
void span_workers(Chart& chart) {
  double first = std::numeric_limits<double>::infinity(), last = 1;
  for (const ChartSeries& series : chart.series) {
    const auto take = [&](double k) {
      first = std::min(first, k);
      last = std::max(last, k);
    };
    for (const ChartPoint& point : series.line) take(point.x);
    for (const ChartMark& mark : series.marks) take(mark.x);
  }
  first = std::min(first, last);
  chart.x = worker_axis(first, last, last / first >= kLogFrom);
}

void finish_speedup(const ScalingTable& table, Chart& chart) {
  chart.title = table.base_workers > 1 ? "Further speedup against workers. Ideal is S = K/K0."
                                       : "Speedup against workers. Ideal is the line S = K.";
  chart.y = speedup_axis(chart, table.base_workers);
  chart.series.push_back(ideal_speedup(chart, table.base_workers));
}

void finish_efficiency(const ScalingTable& table, Chart& chart) {
  chart.title = "Efficiency against workers. Ideal is the flat line at 1.";
  chart.y = {.label = "efficiency E(K)",
             .log = false,
             .whole = false,
             .low = 0,
             .high = std::max(1.0, highest(chart))};
  add_ideal_efficiency(table.threshold, chart);
}

void finish_time(Chart& chart) {
  chart.title = "Time against workers.";
  chart.y = {.label = "time T(K), seconds",
             .log = false,
             .whole = false,
             .low = 0,
             .high = highest(chart)};
}

}  // namespace

Chart to_chart(const Analysis& analysis) {
  const Drawn drawn = drawn_of(analysis.table);
  Chart chart;
  chart.series.push_back(measured(analysis.table, drawn));
  if (analysis.models) chart.series.push_back(fitted(analysis, drawn));
  span_workers(chart);
  if (drawn == Drawn::kSpeedup) finish_speedup(analysis.table, chart);
  if (drawn == Drawn::kEfficiency) finish_efficiency(analysis.table, chart);
  if (drawn == Drawn::kTime) finish_time(chart);
  name_axes(chart);
  return chart;
}

}  // namespace kstar
