#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/chart_parts.h"
#include "kstar/words.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

// Time to train as the product that it is: E = algorithm x system x share of time that trains. Each
// factor is a curve over K, on the axis of E.
namespace kstar::view {

namespace {

constexpr double kDecades = 10;

using Factor = const Estimate* (*)(const TrainingPoint& point);

struct SplitCurve {
  const char* name;
  Factor factor;
};

constexpr SplitCurve kSplitCurves[] = {
    {"efficiency E", [](const TrainingPoint& point) { return &point.efficiency; }},
    {"algorithm", [](const TrainingPoint& point) { return &point.algorithm; }},
    {"system", [](const TrainingPoint& point) { return &point.system; }},
    {"fixed time",
     [](const TrainingPoint& point) { return point.training ? &*point.training : nullptr; }}};

ChartSeries split_series(const TimeToTrain& train, const SplitCurve& curve, int color) {
  ChartSeries series;
  series.name = curve.name;
  series.color = color;
  for (const TrainingPoint& point : train.points) {
    const Estimate* factor = curve.factor(point);
    if (factor == nullptr || !std::isfinite(factor->point)) continue;
    const double workers = point.workers;
    series.line.push_back({workers, factor->point});
    series.marks.push_back({workers, factor->point, mark_low(*factor), mark_high(*factor),
                            TipLines(fmt::format("K = {}", point.workers))
                                .add(curve.name, value_text(*factor))
                                .take()});
  }
  return series;
}

void set_split_axes(const TimeToTrain& train, Chart& chart) {
  const double first = train.points.front().workers, last = train.points.back().workers;
  const double least = lowest(chart);
  const bool wide = least > 0 && highest(chart) / least >= kDecades;
  chart.x = worker_axis(first, last, last / first >= kDecades);
  chart.x.either = true;
  chart.y = {.label = "factor of efficiency",
             .log = wide,
             .whole = false,
             .low = wide ? least : 0,
             .high = std::max(1.0, highest(chart)),
             .either = true,
             .names = {}};
}

std::string split_summary(const TimeToTrain& train) {
  const TrainingPoint& last = train.points.back();
  std::string text =
      fmt::format("At K = {} E = {} = {} (algorithm) x {} (system)", last.workers,
                  significant(last.efficiency.point, 3), significant(last.algorithm.point, 3),
                  significant(last.system.point, 3));
  if (last.training)
    text += fmt::format(" x {} (fixed time)", significant(last.training->point, 3));
  return text + fmt::format(", relative to K = {}.", train.points.front().workers);
}

Result<Chart> split_chart(std::span<const Subject> subjects) {
  const Analysis& analysis = subjects[0].analysis;
  if (subjects.size() > 1) {
    return fail({.where = subjects[1].name,
                 .message = "one split is of one study: its factors have the base of that study",
                 .hint = "draw them in separate charts"});
  }
  if (!analysis.time_to_train) {
    return fail({.where = subjects[0].name,
                 .message = "the runs do not say what they needed to converge",
                 .hint = "import results of whole trainings, such as those of MLPerf"});
  }
  const TimeToTrain& train = *analysis.time_to_train;
  Chart chart;
  int color = 0;
  for (const SplitCurve& curve : kSplitCurves) {
    ChartSeries series = split_series(train, curve, color++);
    if (!series.marks.empty()) chart.series.push_back(std::move(series));
  }
  chart.title = "Efficiency = algorithm x system x fixed time";
  set_split_axes(train, chart);
  add_ideal_efficiency(analysis.table.threshold, chart);
  add_places(shown_of(subjects), chart);
  chart.summary = split_summary(train);
  if (!train.fixed_known) {
    chart.notes.emplace_back("Fixed time is not known: it counts as the system's.");
    chart.title = "Efficiency = algorithm x system";
  }
  chart.caption = caption_of(subjects, chart, range_words(chart));
  return chart;
}

}  // namespace

const ChartKind kSplitChart = {.name = "split",
                               .help = "time to train: algorithm x system x fixed time",
                               .needs = "runs that say what they needed to converge",
                               .make = split_chart};

}  // namespace kstar::view
