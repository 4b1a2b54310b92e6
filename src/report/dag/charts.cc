#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "kstar/chart_parts.h"
#include "kstar/dag_report.h"
#include "report/dag/words.h"

namespace kstar {

namespace {

using dag_words::Amounts;

std::string source_caption(const DagAnalysis& analysis) {
  return fmt::format("{}: work {}, depth {}, parallelism {}", printable(analysis.title),
                     Amounts(analysis).text(analysis.work), Amounts(analysis).text(analysis.depth),
                     significant(analysis.parallelism, 3));
}

/// Steps as a line.
ChartSeries width_series(const WidthCurve& curve, const Amounts& amounts) {
  ChartSeries series;
  series.name = curve.name;
  double width = 0;
  for (const WidthStep& step : curve.steps) {
    const double x = amounts.scaled(step.time);
    series.line.push_back({x, width});
    series.line.push_back({x, step.width});
    width = step.width;
  }
  return series;
}

/// A short peak of what could run at once would press all else flat.
double largest_shown(const DagAnalysis& analysis) {
  constexpr double kTimes = 4, kLeast = 8;
  double workers = std::max(kLeast, analysis.choice.workers);
  if (analysis.recorded) workers = std::max(workers, analysis.recorded->workers);
  return analysis.algorithm ? analysis.width : kTimes * workers;
}

}  // namespace

Chart width_chart(const DagAnalysis& analysis) {
  const Amounts amounts(analysis);
  Chart chart;
  chart.title = "Tasks at a time";
  chart.caption = source_caption(analysis);
  double last = 0, most = 1;
  for (const WidthCurve& curve : analysis.widths) {
    chart.series.push_back(width_series(curve, amounts));
    for (const ChartPoint& point : chart.series.back().line) {
      last = std::max(last, point.x);
      most = std::max(most, point.y);
    }
  }
  chart.x = {.label = amounts.axis(), .low = 0, .high = last};
  const double shown = std::min(most, largest_shown(analysis));
  if (shown < most) {
    chart.notes.push_back(fmt::format("up to {} tasks at a time are possible: cut off at {}",
                                      dag_words::workers_number(most),
                                      dag_words::workers_number(shown)));
  }
  chart.y = {.label = "tasks at a time", .low = 0, .high = 1.05 * shown};
  chart.summary = fmt::format("How many tasks run at a time: at most {} on enough workers.",
                              dag_words::workers_number(analysis.width));
  return chart;
}

Chart speedup_chart(const DagAnalysis& analysis) {
  Chart chart;
  chart.title = "Speedup of greedy schedules";
  chart.caption = source_caption(analysis);
  ChartSeries greedy{.name = analysis.algorithm ? "by levels" : "greedy"};
  for (const SchedulePoint& point : analysis.points) {
    const double fastest = analysis.work / point.least, slowest = analysis.work / point.most;
    greedy.line.push_back({point.workers, point.speedup});
    greedy.marks.push_back({point.workers, point.speedup, slowest, fastest,
                            fmt::format("K = {:.0f}\nS\t{}\nbounds\t{} to {}", point.workers,
                                        significant(point.speedup, 3), significant(slowest, 3),
                                        significant(fastest, 3))});
    greedy.band.push_back({.x = point.workers, .low = slowest, .high = fastest});
  }
  ChartSeries measured{.name = "measured"};
  for (const SchedulePoint& point : analysis.points) {
    if (!point.measured) continue;
    const Estimate& time = *point.measured;
    measured.marks.push_back({point.workers, analysis.work / time.point, analysis.work / time.high,
                              analysis.work / std::max(time.low, 1e-12)});
    measured.line.push_back({point.workers, analysis.work / time.point});
  }
  const double first = analysis.points.front().workers, last = analysis.points.back().workers;
  chart.x = worker_axis(first, last, last / first >= kLogFrom);
  chart.series.push_back(std::move(greedy));
  if (!measured.marks.empty()) chart.series.push_back(std::move(measured));
  chart.series.push_back(straight("work / depth", SeriesRole::kBound,
                                  {{first, analysis.parallelism}, {last, analysis.parallelism}}));
  chart.y = speedup_axis(chart, 1);
  chart.series.push_back(ideal_speedup(chart, 1));
  if (analysis.undecided.empty()) {
    chart.rules.push_back({.name = fmt::format("K* = {:.0f}", analysis.choice.workers),
                           .at = analysis.choice.workers,
                           .low = analysis.choice.low,
                           .high = analysis.choice.high});
  }
  chart.summary = fmt::format(
      "Greedy schedules reach a speedup of {} on {:.0f} workers; no speedup "
      "is above {}.",
      significant(analysis.points.back().speedup, 3), last, significant(analysis.parallelism, 3));
  return chart;
}

Chart path_chart(const DagAnalysis& analysis) {
  const Amounts amounts(analysis);
  Chart chart;
  chart.title = "The critical path";
  chart.caption = source_caption(analysis);
  constexpr std::size_t kMost = 20, kName = 28;
  std::vector<PathTask> path = analysis.path;
  if (path.size() > kMost) {
    std::sort(path.begin(), path.end(),
              [](const PathTask& a, const PathTask& b) { return a.time > b.time; });
    path.resize(kMost);
    std::sort(path.begin(), path.end(),
              [](const PathTask& a, const PathTask& b) { return a.start < b.start; });
    chart.notes.push_back(
        fmt::format("the {} longest of {} tasks are drawn", kMost, analysis.path.size()));
  }
  ChartSeries series{.name = "critical path"};
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < path.size(); ++i) {  // the first stands at the top
    names.emplace_back(analysis.names[path[path.size() - 1 - i].task]);
  }
  chart.y.names = dag_words::task_names(names, kName);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double y = static_cast<double>(path.size() - 1 - i);
    series.line.push_back({amounts.scaled(path[i].start), y});
    series.line.push_back({amounts.scaled(path[i].start + path[i].time), y});
  }
  chart.series.push_back(std::move(series));
  chart.x = {.label = amounts.axis(), .low = 0, .high = amounts.scaled(analysis.depth)};
  chart.summary = fmt::format("{} in {} one after the other.", amounts.text(analysis.depth),
                              count_text(analysis.path.size(), "task"));
  return chart;
}

}  // namespace kstar
