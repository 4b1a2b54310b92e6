#include <algorithm>

#include "kstar/chart_parts.h"
#include "view/curves.h"

namespace kstar {

namespace {

using view::Drawn;

/// With the K that were asked for as marks.
ChartSeries foretold(const view::Shown& shown, Drawn drawn) {
  ChartSeries series = view::fitted_series(shown, drawn);
  const double factor = view::base_factor(shown.analysis->table, drawn);
  for (const PredictedWorkers& at : shown.analysis->models->predictions) {
    const double y = view::drawn_at(at, drawn, factor).point;
    series.line.push_back({at.workers, y});
    series.marks.push_back({at.workers, y});
  }
  if (!series.marks.empty()) series.name = "fitted, and predicted";
  std::sort(series.line.begin(), series.line.end(),
            [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  return series;
}

/// What stands above a picture that has no caption.
std::string sentence_of(const ScalingTable& table, Drawn drawn) {
  if (drawn == Drawn::kTime) return "Time against workers.";
  if (drawn == Drawn::kEfficiency)
    return "Efficiency against workers. Ideal is the flat line at 1.";
  return table.base_workers > 1 ? "Further speedup against workers. Ideal is S = K/K0."
                                : "Speedup against workers. Ideal is the line S = K.";
}

}  // namespace

Chart to_chart(const Analysis& analysis) {
  const view::Shown shown{&analysis, "", -1};
  const Drawn drawn = view::natural(analysis.table);
  Chart chart;
  chart.series.push_back(view::measured_series(shown, drawn));
  if (analysis.models) chart.series.push_back(foretold(shown, drawn));
  view::finish({&shown, 1}, drawn, chart);
  chart.title = sentence_of(analysis.table, drawn);
  name_axes(chart);
  return chart;
}

}  // namespace kstar
