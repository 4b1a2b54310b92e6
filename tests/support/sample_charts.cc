#include "support/sample_charts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kstar {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double amdahl(double serial, double k) {
  return 1 / (serial + (1 - serial) / k);
}

/// The same numbers everywhere and for ever; between -1 and 1.
double wobble(int i) {
  return std::sin(12.9898 * i + 4.1414 * i * i);
}

ChartAxis workers(double low, double high, bool log) {
  ChartAxis axis;
  axis.label = "workers K";
  axis.log = log;
  axis.whole = true;
  axis.low = low;
  axis.high = high;
  axis.either = true;
  return axis;
}

ChartAxis axis_of(std::string label, double low, double high, bool log = false) {
  ChartAxis axis;
  axis.label = std::move(label);
  axis.log = log;
  axis.low = low;
  axis.high = high;
  axis.either = true;
  return axis;
}

ChartSeries measured(std::string name, const std::vector<double>& ks, double serial,
                     bool efficiency = false) {
  ChartSeries series;
  series.name = std::move(name);
  int i = 0;
  for (const double k : ks) {
    const double value = amdahl(serial, k) * (1 + 0.03 * wobble(++i)) / (efficiency ? k : 1);
    const double error = value * (0.02 + 0.04 * std::fabs(wobble(i + 7)));
    series.marks.push_back(
        {k, value, value - error, value + error,
         fmt::format("K = {}: {:.3f} ({:.3f} to {:.3f})", k, value, value - error, value + error)});
    series.line.push_back({k, value});
  }
  return series;
}

ChartSeries curve(std::string name, double serial, double from, double to,
                  bool efficiency = false) {
  ChartSeries series;
  series.name = std::move(name);
  for (int i = 0; i <= 40; ++i) {
    const double k = from * std::pow(to / from, i / 40.0);
    series.line.push_back({k, amdahl(serial, k) / (efficiency ? k : 1)});
  }
  return series;
}

void add_band(double share, ChartSeries& series) {
  for (const ChartPoint& point : series.line) {
    const double error = point.y * share * std::log2(point.x + 1) / 3;
    series.band.push_back({point.x, point.y - error, point.y + error, ""});
  }
}

ChartSeries reference(std::string name, SeriesRole role, std::vector<ChartPoint> line) {
  ChartSeries series;
  series.name = std::move(name);
  series.role = role;
  series.line = std::move(line);
  return series;
}

const std::vector<double>& powers() {
  static const std::vector<double> ks = {1, 2, 4, 8, 16, 32, 64};
  return ks;
}

std::string caption() {
  return "kstar 0.1: 7 K, 5 runs each, of kstar-train on 8 cores, 2025-11-03; 95 % intervals.";
}

Chart efficiency_sample() {
  Chart chart;
  chart.kind = "efficiency";
  chart.title = "Efficiency against workers";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("efficiency E(K)", 0, 1.1);
  chart.series.push_back(measured("measured", powers(), 0.02, true));
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 1}}));
  ChartRule threshold;
  threshold.name = "threshold 0.7";
  threshold.on_x = false;
  threshold.at = 0.7;
  ChartRule bend;
  bend.name = "bend K = 23";
  bend.at = 23;
  bend.low = 19;
  bend.high = 29;
  bend.tip = "bend at K = 23 (19 to 29)";
  ChartRule advice;
  advice.name = "advice K = 16";
  advice.at = 16;
  chart.rules = {threshold, bend, advice};
  chart.caption = caption();
  chart.summary = "Efficiency falls from 1 to 0.44 at 64 workers; it bends at 23.";
  return chart;
}

Chart models_sample() {
  Chart chart;
  chart.kind = "models";
  chart.title = "What the models say, and how far they can be believed";
  chart.x = workers(1, 1024, true);
  chart.y = axis_of("speedup S(K)", 0, 60);
  ChartSeries points = measured("measured", powers(), 0.02);
  points.line.clear();
  points.color = 0;
  ChartSeries fitted = curve("fitted", 0.02, 1, 64);
  fitted.color = 0;
  ChartSeries foretold = curve("foretold", 0.02, 64, 1024);
  foretold.role = SeriesRole::kForetold;
  foretold.color = 0;
  foretold.stepped = true;
  add_band(0.06, foretold);
  for (const double k : {128.0, 256.0, 512.0, 1024.0}) {
    foretold.marks.push_back({k, amdahl(0.02, k), 0.8 * amdahl(0.02, k), 1.25 * amdahl(0.02, k),
                              fmt::format("K = {}", k)});
  }
  ChartSeries usl = curve("USL", 0.025, 1, 1024);
  usl.color = 1;
  chart.series = {points,
                  fitted,
                  foretold,
                  usl,
                  reference("ideal", SeriesRole::kIdeal, {{1, 1}, {1024, 1024}}),
                  reference("ceiling 50", SeriesRole::kBound, {{1, 50}, {1024, 50}})};
  chart.caption = caption();
  return chart;
}

Chart samples_sample() {
  Chart chart;
  chart.kind = "samples";
  chart.title = "Every run, in the order of running";
  chart.x = axis_of("run", 1, 240);
  chart.x.whole = true;
  chart.y = axis_of("time, s", 0, 9);
  int color = 0;
  for (const double k : {1.0, 2.0, 4.0, 8.0}) {
    ChartSeries series;
    series.name = fmt::format("K = {}", k);
    series.small = true;
    for (int i = 0; i < 60; ++i) {
      const int run = 4 * i + color + 1;
      const double time = 8 / amdahl(0.05, k) * (1 + 0.05 * wobble(run) + (run == 97 ? 0.6 : 0));
      series.marks.push_back(
          {static_cast<double>(run), time, NAN, NAN, fmt::format("run {}", run)});
    }
    ++color;
    chart.series.push_back(std::move(series));
  }
  chart.caption = caption();
  return chart;
}

Chart breakdown_sample() {
  Chart chart;
  chart.kind = "breakdown";
  chart.title = "Where the time goes";
  chart.x = axis_of("workers K", 0, 6);
  chart.x.names = {"1", "2", "4", "8", "16", "32", "64"};
  chart.y = axis_of("time of a step, ms", 0, 110);
  const std::vector<std::string> parts = {"compute", "transfer", "waiting", "load", "serial"};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    ChartSeries series;
    series.name = parts[part];
    for (int i = 0; i < 7; ++i) {
      const double k = std::pow(2, i);
      const std::vector<double> sizes = {80 / k, 1.5 * i, 1 + 0.8 * i * i, 8 / k + 1, 5};
      double low = 0;
      for (std::size_t below = 0; below < part; ++below) low += sizes[below];
      series.stack.push_back({static_cast<double>(i), low, low + sizes[part],
                              fmt::format("{} at K = {}: {:.1f} ms", parts[part], k, sizes[part])});
    }
    chart.series.push_back(std::move(series));
  }
  chart.caption = caption();
  return chart;
}

Chart workers_sample(int ranks, int columns, bool names) {
  Chart chart;
  chart.kind = "workers";
  chart.title = "Who waits for whom";
  chart.x = axis_of(names ? "workers K" : "run", 1, columns);
  if (names) {
    chart.x.names.clear();
    for (int i = 0; i < columns; ++i) chart.x.names.push_back(fmt::format("{}", 1 << i));
  }
  chart.y = axis_of("rank", 0, ranks - 1);
  chart.y.whole = true;
  chart.values = axis_of("compute time, relative to the median", 0.9, 1.3);
  for (int column = 0; column < columns; ++column) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (names && rank >= (1 << column)) continue;
      const double slow = rank % 11 == 3 ? 0.15 : 0;
      chart.cells.push_back(
          {static_cast<double>(names ? column : column + 1), static_cast<double>(rank),
           rank == 5 && column == 4 ? NAN : 1 + slow + 0.05 * wobble(rank * 31 + column),
           fmt::format("rank {}, column {}", rank, column)});
    }
  }
  chart.caption = caption();
  return chart;
}

Chart one_k() {
  Chart chart;
  chart.title = "Speedup of one K";
  chart.x = workers(4, 16, true);
  chart.y = axis_of("speedup S(K)", 0, 10);
  chart.series.push_back(measured("measured", {8}, 0.03));
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{4, 4}, {16, 16}}));
  return chart;
}

Chart single_value_axes() {
  Chart chart = one_k();
  chart.title = "Axes of one value";
  chart.x.low = chart.x.high = 8;
  chart.y.low = chart.y.high = chart.series[0].marks[0].y;
  return chart;
}

Chart twenty_k() {
  Chart chart;
  chart.title = "Twenty K, two programs";
  chart.x = workers(1, 96, false);
  chart.y = axis_of("speedup S(K)", 0, 40);
  std::vector<double> ks;
  for (int i = 1; i <= 20; ++i) ks.push_back(i < 9 ? i : 8 * (i - 8));
  chart.series.push_back(measured("before", ks, 0.03));
  chart.series.push_back(measured("after the change", ks, 0.02));
  chart.series.push_back(reference("ideal: S = K", SeriesRole::kIdeal, {{1, 1}, {96, 96}}));
  return chart;
}

Chart wide_range() {
  Chart chart;
  chart.title = "From 1 to 100,000 workers, down to an efficiency of 0.001";
  chart.x = workers(1, 100000, true);
  chart.y = axis_of("efficiency E(K)", 0.0008, 1.2, true);
  std::vector<double> ks;
  for (int i = 0; i <= 10; ++i) ks.push_back(std::round(std::pow(10, i / 2.0)));
  chart.series.push_back(measured("measured", ks, 0.01, true));
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{1, 1}, {100000, 1}}));
  ChartRule bend;
  bend.name = "bend K = 43";
  bend.at = 43;
  bend.low = 0;
  bend.high = kInfinity;
  chart.rules.push_back(bend);
  chart.caption = caption();
  return chart;
}

Chart long_names() {
  Chart chart;
  chart.title =
      "A title that somebody did not mean to be this long, but it carries the whole name of the "
      "study, of the machine and of the day on which it was measured";
  chart.x = workers(1, 64, true);
  chart.y =
      axis_of("a label of the y axis that is far longer than any axis of a figure can be", 0, 64);
  chart.series.push_back(measured(
      "ResNet-50, ImageNet, batch 256 per worker, NCCL 2.18 ring over RoCE", powers(), 0.01));
  chart.series.push_back(measured(
      "非常に長い名前の計測、ノード間通信はインフィニバンド、精度は半精度", powers(), 0.03));
  chart.series.push_back(measured(std::string(120, 'W'), powers(), 0.06));
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
  ChartRule bend;
  bend.name =
      "the bend, which is where the efficiency falls below the threshold of 0.7 for the first time";
  bend.at = 48;
  chart.rules.push_back(bend);
  chart.caption = caption() + " " + caption() + " " + caption();
  chart.notes = {"3 runs that failed were left out.", "K = 3 has one run and no interval."};
  return chart;
}

Chart no_repeats() {
  Chart chart;
  chart.title = "No repeats";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("time T(K), s", 0.5, 30, true);
  ChartSeries series;
  series.name = "measured once";
  for (const double k : powers()) series.marks.push_back({k, 25 / amdahl(0.02, k), NAN, NAN, ""});
  chart.series.push_back(series);
  return chart;
}

Chart odd_intervals() {
  Chart chart;
  chart.title = "Intervals without end, below zero, and outside";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("efficiency E(K)", 0.01, 1.2, true);
  ChartSeries series;
  series.name = "measured";
  series.marks = {{1, 1, 0.9, 1.1, ""},
                  {2, 0.8, -0.3, kInfinity, ""},
                  {4, 0.5, -kInfinity, 0.9, ""},
                  {8, 0, -0.1, 0.05, ""},
                  {16, 3, 2, 4, ""},
                  {32, 0.2, 0.15, NAN, ""},
                  {64, 0.1, -1, 5, "unsure"}};
  for (const ChartMark& mark : series.marks) {
    series.line.push_back({mark.x, mark.y});
    series.band.push_back({mark.x, mark.low, mark.high, ""});
  }
  ChartSeries gone;
  gone.name = "empty series";
  chart.series = {series, gone};
  return chart;
}

Chart many_series() {
  Chart chart;
  chart.title = "Twelve studies";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("speedup S(K)", 0, 64);
  for (int i = 0; i < 12; ++i) {
    chart.series.push_back(measured(fmt::format("study {} of {}", i + 1, 12), powers(), 0.004 * i));
  }
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
  return chart;
}

Chart close_ends() {
  Chart chart;
  chart.title = "Lines that end at the same place";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("speedup S(K)", 0, 64);
  for (const double serial : {0.05, 0.051, 0.052, 0.049, 0.2}) {
    ChartSeries series = curve(fmt::format("serial {}", serial), serial, 1, 64);
    chart.series.push_back(series);
  }
  chart.series.push_back(reference("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
  return chart;
}

Chart rules_together() {
  Chart chart = efficiency_sample();
  chart.title = "Several rules at almost the same place";
  chart.rules.clear();
  for (const double at : {60.0, 61.0, 62.0, 2.0}) {
    ChartRule rule;
    rule.name = fmt::format("rule number {}", at);
    rule.at = at;
    chart.rules.push_back(rule);
  }
  return chart;
}

Chart long_worker_names() {
  Chart chart = workers_sample(12, 7, true);
  chart.title = "Workers by name";
  for (int i = 0; i < 12; ++i) {
    chart.y.names.push_back(fmt::format("node-{:03}.cluster.example.org:gpu{}", i / 4, i % 4));
  }
  for (std::string& name : chart.x.names) name.insert(0, "study of the day, K = ");
  return chart;
}

Chart nothing() {
  Chart chart;
  chart.title = "Nothing at all";
  return chart;
}

}  // namespace

Chart speedup_sample() {
  Chart chart;
  chart.kind = "speedup";
  chart.title = "Speedup against workers";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("speedup S(K)", 0.9, 70, true);
  ChartSeries series = measured("measured", powers(), 0.02);
  series.line.clear();
  series.color = 0;
  ChartSeries fitted = curve("fitted", 0.02, 1, 64);
  fitted.color = 0;
  add_band(0.05, fitted);
  chart.series = {series, fitted, reference("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}})};
  ChartRule bend;
  bend.name = "bend K = 23 (19 to 29)";
  bend.at = 23;
  bend.low = 19;
  bend.high = 29;
  bend.tip = "the bend";
  chart.rules.push_back(bend);
  chart.caption = caption();
  chart.summary = "Speedup grows to 28 at 64 workers.";
  return chart;
}

Chart hostile_sample() {
  const std::string evil =
      "</text><script>alert(1)</script>\"'&amp;<!-- ]]> \x01\x1b[31m\x7f \xff\xfe \xed\xa0\x80 "
      "\xef\xbf\xbf \xe2\x80\xae=cmd() \xc0\xaf\n\ttab";
  Chart chart = efficiency_sample();
  chart.title = chart.caption = chart.summary = evil;
  chart.kind = evil;
  chart.x.label = chart.y.label = evil;
  chart.notes = {evil};
  for (ChartSeries& series : chart.series) {
    series.name = evil;
    for (ChartMark& mark : series.marks) mark.tip = evil;
  }
  for (ChartRule& rule : chart.rules) rule.name = rule.tip = evil;
  return chart;
}

Chart crowded_sample() {
  Chart chart = samples_sample();
  chart.title = "A hundred thousand runs";
  chart.series.resize(1);
  chart.series[0].marks.clear();
  chart.x.high = 100000;
  for (int i = 1; i <= 100000; ++i) {
    const double time = 5 + 2 * wobble(i) * wobble(i + 3) + (i % 997 == 0 ? 1.5 : 0);
    chart.series[0].marks.push_back({static_cast<double>(i), time, NAN, NAN, "a run"});
  }
  return chart;
}

std::vector<SampleChart> sample_charts() {
  return {{"speedup", speedup_sample()},
          {"efficiency", efficiency_sample()},
          {"models", models_sample()},
          {"samples", samples_sample()},
          {"breakdown", breakdown_sample()},
          {"workers", workers_sample(64, 7, true)},
          {"workers-runs", workers_sample(16, 40, false)},
          {"workers-long", long_worker_names()},
          {"one-k", one_k()},
          {"one-value", single_value_axes()},
          {"twenty-k", twenty_k()},
          {"wide-range", wide_range()},
          {"long-names", long_names()},
          {"no-repeats", no_repeats()},
          {"odd-intervals", odd_intervals()},
          {"many-series", many_series()},
          {"close-ends", close_ends()},
          {"rules-together", rules_together()},
          {"hostile", hostile_sample()},
          {"crowded", crowded_sample()},
          {"nothing", nothing()}};
}

}  // namespace kstar
