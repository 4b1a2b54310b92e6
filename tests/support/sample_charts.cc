#include "support/sample_charts.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "kstar/chart_parts.h"
#include "support/chart_parts.h"

namespace kstar {

using namespace sample;

namespace {

Chart models_sample() {
  Chart chart;
  chart.kind = "models";
  chart.title = "What the models predict, and how far to trust it";
  chart.x = workers(1, 1024, true);
  chart.y = axis_of("speedup S(K)", 0, 60);
  ChartSeries points = measured("measured", powers(), 0.02);
  points.line.clear();
  points.color = 0;
  ChartSeries fitted = curve("fitted", 0.02, 1, 64);
  fitted.color = 0;
  ChartSeries predicted = curve("predicted", 0.02, 64, 1024);
  predicted.role = SeriesRole::kPredicted;
  predicted.color = 0;
  predicted.stepped = true;
  add_band(0.06, predicted);
  for (const double k : {128.0, 256.0, 512.0, 1024.0}) {
    predicted.marks.push_back({k, amdahl(0.02, k), 0.8 * amdahl(0.02, k), 1.25 * amdahl(0.02, k),
                               fmt::format("K = {}", k)});
  }
  ChartSeries usl = curve("USL", 0.025, 1, 1024);
  usl.color = 1;
  chart.series = {points,
                  fitted,
                  predicted,
                  usl,
                  straight("ideal", SeriesRole::kIdeal, {{1, 1}, {1024, 1024}}),
                  straight("ceiling 50", SeriesRole::kBound, {{1, 50}, {1024, 50}})};
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
  chart.series = {series, fitted, straight("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 64}})};
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

Chart efficiency_sample() {
  Chart chart;
  chart.kind = "efficiency";
  chart.title = "Efficiency against workers";
  chart.x = workers(1, 64, true);
  chart.y = axis_of("efficiency E(K)", 0, 1.1);
  chart.series.push_back(measured("measured", powers(), 0.02, true));
  chart.series.push_back(straight("ideal", SeriesRole::kIdeal, {{1, 1}, {64, 1}}));
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

std::vector<SampleChart> sample_charts() {
  std::vector<SampleChart> charts = {{"speedup", speedup_sample()},
                                     {"efficiency", efficiency_sample()},
                                     {"models", models_sample()},
                                     {"samples", samples_sample()},
                                     {"breakdown", breakdown_sample()},
                                     {"workers", workers_sample(64, 7, true)},
                                     {"workers-runs", workers_sample(16, 40, false)}};
  auto awkward = awkward_charts();
  charts.insert(charts.end(), std::make_move_iterator(awkward.begin()),
                std::make_move_iterator(awkward.end()));
  return charts;
}

}  // namespace kstar
