#include "kstar/chart_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// An end of an interval this many times off its value leaves the picture: one K that was run
/// twice would squeeze all others flat.
constexpr double kFarOff = 1.5;

template <typename Take>
void for_each_point(const Chart& chart, Take take) {
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.line) take(point);
    for (const ChartMark& mark : series.marks) {
      take(ChartPoint{mark.x, mark.y});
      if (mark.high <= kFarOff * mark.y) take(ChartPoint{mark.x, mark.high});
      if (mark.low >= mark.y / kFarOff) take(ChartPoint{mark.x, mark.low});
    }
  }
}

}  // namespace

ChartSeries straight(std::string name, SeriesRole role, std::vector<ChartPoint> points) {
  ChartSeries series;
  series.name = std::move(name);
  series.role = role;
  series.line = std::move(points);
  return series;
}

double highest(const Chart& chart) {
  double high = 0;
  for_each_point(chart, [&](const ChartPoint& point) { high = std::max(high, point.y); });
  return high;
}

double lowest(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity();
  for_each_point(chart, [&](const ChartPoint& point) { low = std::min(low, point.y); });
  return low;
}

ChartAxis worker_axis(double first, double last, bool log) {
  const bool one = first == last;
  return {.label = "workers K",
          .log = log,
          .whole = true,
          .low = one ? first / 2 : first,
          .high = one ? last * 2 : last,
          .names = {},
          .workers = true};
}

ChartSeries ideal_speedup(const Chart& chart, double base) {
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
  if (line.front().y > chart.y.high) name += " (above the chart)";
  return straight(std::move(name), SeriesRole::kIdeal, std::move(line));
}

void add_ideal_efficiency(double threshold, Chart& chart) {
  chart.series.push_back(
      straight("ideal: E = 1", SeriesRole::kIdeal, {{chart.x.low, 1}, {chart.x.high, 1}}));
  chart.series.push_back(straight(fmt::format("threshold {}", significant(threshold, 4)),
                                  SeriesRole::kBound,
                                  {{chart.x.low, threshold}, {chart.x.high, threshold}}));
}

ChartAxis speedup_axis(const Chart& chart, double base) {
  const bool log = chart.x.log;
  const double top = highest(chart);
  return {.label = "speedup S(K)",
          .log = log,
          .whole = false,
          .low = log ? std::min({1.0, chart.x.low / base, lowest(chart)}) : 0,
          .high = log ? std::max({2.0, chart.x.high / base, top}) : std::max(1.0, 1.25 * top)};
}

std::string one_line(const std::string& tip) {
  std::string text;
  bool head = true;
  for (const std::string_view line : split(tip, '\n')) {
    if (!text.empty()) text += head ? ": " : ", ";
    head = head && text.empty();
    const std::size_t tab = line.find('\t');
    text += line.substr(0, tab);
    // "S = 6.2", "compute 3 s".
    if (tab != line.npos) text.append(tab == 1 ? " = " : " ").append(line.substr(tab + 1));
  }
  return text;
}

void name_axes(Chart& chart) {
  chart.title += chart.y.log ? " (log axes)" : chart.x.log ? " (log K)" : "";
}

}  // namespace kstar
