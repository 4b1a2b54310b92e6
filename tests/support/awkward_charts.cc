#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kstar/chart_parts.h"
#include "support/chart_parts.h"
#include "support/sample_charts.h"

namespace kstar {

using namespace sample;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Chart one_k() {
  Chart chart;
  chart.title = "Speedup of one K";
  chart.x = workers(4, 16, true);
  chart.y = axis_of("speedup S(K)", 0, 10);
  chart.series.push_back(measured("measured", {8}, 0.03));
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{4, 4}, {16, 16}}));
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
  chart.series.push_back(straight("ideal: S = K", SeriesRole::kIdeal, {{1, 1}, {96, 96}}));
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
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{1, 1}, {100000, 1}}));
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
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
  ChartRule bend;
  bend.name =
      "the bend, which is where the efficiency falls below the threshold of 0.7 for the first time";
  bend.at = 48;
  chart.rules.push_back(bend);
  chart.caption = caption() + " " + caption() + " " + caption();
  chart.notes = {"3 failed runs are not shown.", "K = 3 has one run and no interval."};
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
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
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
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}}));
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

std::vector<SampleChart> awkward_charts() {
  return {{"workers-long", long_worker_names()}, {"one-k", one_k()},
          {"one-value", single_value_axes()},    {"twenty-k", twenty_k()},
          {"wide-range", wide_range()},          {"long-names", long_names()},
          {"no-repeats", no_repeats()},          {"odd-intervals", odd_intervals()},
          {"many-series", many_series()},        {"close-ends", close_ends()},
          {"rules-together", rules_together()},  {"hostile", hostile_sample()},
          {"crowded", crowded_sample()},         {"nothing", nothing()}};
}

}  // namespace kstar
