// Charts on a terminal, with the data that pictures break on.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "kstar/document.h"
#include "kstar/prediction_report.h"
#include "support/predictions.h"

namespace kstar {
namespace {

constexpr TerminalStyle kAscii{.width = 60, .color = false, .unicode = false};

ChartSeries curve(const std::vector<ChartPoint>& points, std::string name = "curve") {
  ChartSeries series;
  series.name = std::move(name);
  series.line = points;
  for (const ChartPoint& point : points) series.marks.push_back({point.x, point.y});
  return series;
}

Chart with_axes(ChartAxis x, ChartAxis y, std::vector<ChartSeries> series) {
  x.label = "workers K";
  y.label = "speedup";
  Chart chart;
  chart.title = "A title";
  chart.x = std::move(x);
  chart.y = std::move(y);
  chart.series = std::move(series);
  return chart;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

std::size_t widest_line(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

long count(const std::string& text, char c) {
  return std::count(text.begin(), text.end(), c);
}

/// The rows between the label of the y axis and the x axis, from behind the axis on.
std::vector<std::string> plot_of(const std::string& text) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(text)) {
    const std::size_t at = line.find_first_of("|+");
    if (at == std::string::npos) continue;
    if (line[at] == '+' && line.find_first_not_of(' ') == at) break;  // the x axis
    rows.push_back(line.substr(at + 1));
  }
  return rows;
}

long marks_in(const std::string& text) {
  long sum = 0;
  for (const std::string& row : plot_of(text)) sum += count(row, '*');
  return sum;
}

TEST(TerminalChart, OfOnePointShowsIt) {
  const Chart one = with_axes({.low = 0, .high = 2}, {.low = 0, .high = 2}, {curve({{1, 1}})});
  EXPECT_EQ(marks_in(to_terminal(one, kAscii)), 1);
}

TEST(TerminalChart, OfOneValueOnEachAxisShowsItInTheMiddle) {
  for (const bool log : {false, true}) {
    const Chart one = with_axes({.log = log, .low = 1, .high = 1},
                                {.log = log, .low = 1, .high = 1}, {curve({{1, 1}})});
    const std::string text = to_terminal(one, kAscii);
    EXPECT_EQ(marks_in(text), 1) << text;
    EXPECT_NE(text.find("1+"), std::string::npos) << text;
  }
}

TEST(TerminalChart, TwoIdenticalPointsAreOneMark) {
  const Chart two =
      with_axes({.low = 0, .high = 2}, {.low = 0, .high = 2}, {curve({{1, 1}, {1, 1}})});
  EXPECT_EQ(marks_in(to_terminal(two, kAscii)), 1);
}

TEST(TerminalChart, WithoutSeriesIsTwoAxes) {
  const std::string text = to_terminal(with_axes({}, {}, {}), kAscii);
  EXPECT_EQ(marks_in(text), 0);
  EXPECT_NE(text.find("workers K"), std::string::npos);
  EXPECT_NE(text.find("+--"), std::string::npos);
}

TEST(TerminalChart, PointsThatAreNoNumbersAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Chart odd =
      with_axes({.log = true, .low = 1, .high = 8}, {.log = true, .low = 1, .high = 8},
                {curve({{1, nan}, {nan, 2}, {inf, inf}, {0, 0}, {-1, -1}, {2, 2}})});
  EXPECT_EQ(marks_in(to_terminal(odd, kAscii)), 1);
}

TEST(TerminalChart, TwentyWorkerCountsAreTwentyMarks) {
  ChartSeries series = curve({});
  for (int k = 1; k <= 20; ++k) series.marks.push_back({double(k), double(k)});
  const Chart twenty = with_axes({.low = 1, .high = 20}, {.low = 0, .high = 20}, {series});
  EXPECT_EQ(marks_in(to_terminal(twenty, kAscii)), 20);
}

TEST(TerminalChart, TickLabelsNeverTouchEachOther) {
  for (const int width : {20, 40, 80}) {
    const Chart wide = with_axes({.log = true, .low = 1, .high = 100000}, {.low = 0, .high = 1},
                                 {curve({{1, 1}})});
    const std::string text = to_terminal(wide, {.width = width, .color = false, .unicode = false});
    const std::vector<std::string> lines = lines_of(text);
    const auto rule = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("+-") != std::string::npos || line.find("++") != std::string::npos;
    });
    ASSERT_NE(rule, lines.end());
    for (const std::string_view label : split(trim(*(rule + 1)), ' ')) {
      if (label.empty()) continue;
      EXPECT_TRUE(label == "1" || label == "10" || label == "100" || label == "1000" ||
                  label == "10k" || label == "100k")
          << label << "\n"
          << text;
    }
  }
}

TEST(TerminalChart, FitsTheWidthWhateverTheNames) {
  const std::string name(300, 'n');
  for (const int width : {20, 40, 80, 500}) {
    for (const bool unicode : {false, true}) {
      const Chart named =
          with_axes({.low = 1, .high = 8}, {.low = 0, .high = 1},
                    {curve({{1, 1}, {8, 0.5}}, name), curve({{1, 0.2}}, "é" + name)});
      const std::string text =
          to_terminal(named, {.width = width, .color = false, .unicode = unicode});
      EXPECT_LE(widest_line(text), static_cast<std::size_t>(width)) << text;
    }
  }
}

TEST(TerminalChart, NamesCannotMoveTheCursor) {
  const std::string text =
      to_terminal(with_axes({}, {}, {curve({{0, 0}}, "red\x1b[31m\nand more")}), kAscii);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("red\\x1b[31m\\nand more"), std::string::npos);
}

TEST(TerminalChart, TheLabelOfAValueStandsInTheRowOfItsPoints) {
  for (const double value : {0.2, 0.4, 0.6, 0.8}) {
    const Chart flat =
        with_axes({.low = 0, .high = 1}, {.low = 0, .high = 1}, {curve({{0.5, value}})});
    const std::string text = to_terminal(flat, {.width = 60, .color = false, .unicode = true});
    for (const std::string& line : lines_of(text)) {
      if (line.find("curve") != std::string::npos) continue;  // the legend
      EXPECT_EQ(line.find("●") != std::string::npos,
                line.find(std::to_string(value).substr(0, 3) + "┤") != std::string::npos)
          << text;
    }
  }
}

TEST(TerminalChart, DrawsIntervalsAndMarksKOnTheAxis) {
  ChartSeries series = curve({});
  series.marks.push_back({.x = 4, .y = 5, .low = 2, .high = 8});
  Chart chart = with_axes({.low = 0, .high = 8}, {.low = 0, .high = 10}, {series});
  chart.rules.push_back({.name = "K*", .at = 4, .low = 2, .high = 6});
  const std::string text = to_terminal(chart, kAscii);
  long bars = 0;
  for (const std::string& row : plot_of(text)) bars += count(row, '|');
  EXPECT_GE(bars, 8) << text;
  EXPECT_NE(text.find("=^="), std::string::npos) << text;
  EXPECT_NE(text.find("^  K* = 4 (2 to 6)"), std::string::npos) << text;
  EXPECT_NE(text.find("|  interval"), std::string::npos) << text;
}

TEST(TerminalChart, HasALegendOfWhatIsDrawnAndNothingElse) {
  ChartSeries line, outside = curve({{1, 50}, {8, 60}}, "outside"), dots = curve({}, "dots");
  line.name = "line";
  line.line = {{1, 1}, {8, 8}};
  dots.marks = {{4, 2}};
  Chart chart = with_axes({.low = 0, .high = 8}, {.low = 0, .high = 10}, {line, outside, dots});
  chart.rules.push_back({.name = "budget", .at = 80});
  const std::string text = to_terminal(chart, {.width = 60, .color = false, .unicode = true});
  EXPECT_NE(text.find("⠒⠒⠒ line"), std::string::npos) << text;
  EXPECT_NE(text.find(" ▲  dots"), std::string::npos) << text;
  EXPECT_EQ(text.find("outside"), std::string::npos) << text;
  EXPECT_EQ(text.find("budget"), std::string::npos) << text;
  EXPECT_EQ(text.find("interval"), std::string::npos) << text;
}

TEST(TerminalChart, GivesEveryCurveASignOfItsOwn) {
  std::vector<ChartSeries> all;
  for (int i = 0; i < 40; ++i) all.push_back(curve({{double(i), double(i)}}, std::to_string(i)));
  const std::string text =
      to_terminal(with_axes({.low = 0, .high = 40}, {.low = 0, .high = 40}, all), kAscii);
  std::set<std::string> signs;
  const std::vector<std::string> lines = lines_of(text.substr(text.find("workers K")));
  for (const std::string& row : lines) {
    const std::string name(trim(row));
    if (name.size() > 2 && name.substr(1, 2) == "  ") signs.insert(name.substr(0, 1));
  }
  EXPECT_EQ(signs.size(), 40U) << text;
}

TEST(TerminalChart, DrawsCellsAsAMap) {
  Chart chart;
  chart.title = "Which worker is slow";
  chart.y.names = {"2", "4"};
  chart.y.label = "workers K";
  chart.x.label = "worker";
  chart.values = {.label = "time / mean", .low = 0.8, .high = 1.2, .middle = 1};
  for (int i = 0; i < 2; ++i) chart.cells.push_back({double(i), 0, 1});
  for (int i = 0; i < 4; ++i) chart.cells.push_back({double(i), 1, i == 2 ? 1.2 : 0.99});
  const std::string text = to_terminal(chart, kAscii);
  EXPECT_NE(text.find("4|......###..."), std::string::npos) << text;
  EXPECT_NE(text.find("2|......\n"), std::string::npos) << text;
  EXPECT_NE(text.find("or more"), std::string::npos) << text;
  for (int i = 4; i < 1000; ++i) chart.cells.push_back({double(i), 1, i == 700 ? 1.2 : 1.0});
  const std::string wide = to_terminal(chart, kAscii);
  EXPECT_LE(widest_line(wide), 80U) << wide;
  EXPECT_GE(count(wide, '#'), 4) << wide;
}

TEST(PredictionChart, ShowsEveryListedWorkerCount) {
  // S < 1 on logarithmic axes, K up to 100000, E down to 0.001 and below, one K.
  const std::vector<Prediction> awkward = {
      prediction("strong", {{"serial", {"0.01"}}, {"comm", {"linear:0.1"}}}, {1, 16, 1024}),
      prediction("amdahl", {{"serial", {"0.01"}}}, {1, 1000, 100000}),
      prediction("weak", {{"serial", {"0"}}, {"comm", {"linear:1"}}}, {1, 30, 1000}),
      prediction("amdahl", {{"serial", {"1"}}}, {1, 8, 64}),
      prediction("amdahl", {{"serial", {"0"}}}, {1, 8, 64})};
  for (const Prediction& p : awkward) {
    for (const AxisScale scale : {AxisScale::kAuto, AxisScale::kLinear, AxisScale::kLog}) {
      Chart drawn = to_chart({&p, 1}, {.scale = scale});
      for (ChartSeries& series : drawn.series) {
        series.line.clear();  // marks alone, to count them
      }
      const long marks = marks_in(to_terminal(drawn, {.width = 80, .unicode = false}));
      EXPECT_EQ(marks, 3) << p.instance.law->name << " " << p.instance.label();
    }
  }
}

TEST(PredictionChart, OfOneWorkerCountHasAMark) {
  const Prediction one = prediction("amdahl", {{"serial", {"0.05"}}}, {8});
  EXPECT_EQ(marks_in(to_terminal(to_chart({&one, 1}), kAscii)), 1);
}

TEST(PredictionChart, EveryCeilingInTheLegendIsInThePicture) {
  for (const char* serial : {"0.005", "0.01", "0.02", "0.1"}) {
    for (const AxisScale scale : {AxisScale::kLinear, AxisScale::kLog}) {
      const Prediction p = prediction("amdahl", {{"serial", {serial}}}, {1, 8, 64});
      const Chart drawn = to_chart({&p, 1}, {.scale = scale});
      for (const ChartSeries& series : drawn.series) {
        if (series.role != SeriesRole::kBound) continue;
        EXPECT_LE(series.line[0].y, drawn.y.high) << series.name;
        EXPECT_GE(series.line[0].y, drawn.y.low) << series.name;
      }
    }
  }
}

TEST(PredictionChart, AWeakCurveIsNeverDrawnAgainstTheDiagonal) {
  const std::vector<Prediction> both = {prediction("strong", {{"serial", {"0.05"}}}, {1, 8, 64}),
                                        prediction("weak", {{"serial", {"0.05"}}}, {1, 8, 64})};
  const Chart drawn = to_chart(both);
  EXPECT_EQ(drawn.y.label, "efficiency E(K)");
  for (const ChartSeries& series : drawn.series) {
    if (series.role != SeriesRole::kIdeal) continue;
    for (const ChartPoint& point : series.line) EXPECT_EQ(point.y, 1);
  }
}

}  // namespace
}  // namespace kstar
