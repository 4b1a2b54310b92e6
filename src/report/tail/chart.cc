#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/chart_parts.h"
#include "kstar/tail_report.h"
#include "report/tail/words.h"

namespace kstar {

namespace {

using namespace tail_words;

/// The unit of a chart's latencies.
struct DrawnLatency {
  double size = 1;
  std::string label = "latency";
};

DrawnLatency drawn_latency(double largest, bool seconds) {
  if (!seconds || !(largest > 0)) return {1, "latency (the file's unit)"};
  const TimeUnit unit = time_unit_for(largest);
  return {unit.seconds, fmt::format("latency ({})", unit.name)};
}

bool all_seconds(const Tail& tail) {
  return std::all_of(tail.levels.begin(), tail.levels.end(),
                     [](const TailLevel& level) { return level.set.seconds; });
}

std::string series_name(const Tail& tail, const TailLevel& level) {
  if (tail.levels.size() == 1) return "measured";
  const std::optional<double> load = level.offered ? level.offered : level.served;
  return tail.files == TailFiles::kLevels && load ? rate_text(*load) : short_name(level.set.name);
}

void set_latency_axis(const DrawnLatency& unit, Chart& chart) {
  const double least = lowest(chart), most = highest(chart);
  constexpr double kMargin = 1.1, kLogarithmic = 30;
  const bool log = least > 0 && most > kLogarithmic * least;
  chart.y = {.label = unit.label,
             .log = log,
             .low = log ? least / kMargin : 0,
             .high = most > 0 ? most * kMargin : 1,
             .either = true};
}

void add_slo_rule(const Tail& tail, const DrawnLatency& unit, Chart& chart) {
  if (!tail.options.slo) return;
  chart.rules.push_back(
      {.name = "SLO", .on_x = false, .at = tail.options.slo->limit / unit.size, .dashed = true});
}

std::string source_caption(const Tail& tail) {
  std::string text;
  for (const TailLevel& level : tail.levels) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", short_name(level.set.name));
    constexpr std::size_t kLong = 80;
    if (text.size() > kLong) return text + " ...";
  }
  return text;
}

double interval_or_nan(double value, double unit) {
  return std::isnan(value) ? value : value / unit;
}

/// What a client that waited did not record, as points joined by lines.
std::optional<ChartSeries> corrected_series(const Tail& tail, const TailLevel& level,
                                            const DrawnLatency& unit) {
  if (level.omission.verdict != OmissionVerdict::kFound) return std::nullopt;
  ChartSeries series{.name = tail.levels.size() == 1
                                 ? "corrected"
                                 : fmt::format("{}, corrected", series_name(tail, level))};
  for (const auto& [share, value] : level.omission.corrected) {
    if (share >= 1) continue;
    ChartMark mark{.x = 1 / (1 - share), .y = value / unit.size};
    mark.tip = fmt::format("{}\ncorrected\t{}", percentile_name(share), latency_text(value, true));
    series.line.push_back({mark.x, mark.y});
    series.marks.push_back(std::move(mark));
  }
  if (series.marks.empty()) return std::nullopt;
  return series;
}

}  // namespace

Chart percentile_chart(const Tail& tail) {
  Chart chart;
  chart.kind = "percentiles";
  double largest = 0, longest = 10;
  for (const TailLevel& level : tail.levels) {
    for (const auto& [share, value] : level.curve) largest = std::max(largest, value);
    for (const auto& [share, value] : level.omission.corrected) largest = std::max(largest, value);
  }
  const DrawnLatency unit = drawn_latency(largest, all_seconds(tail));
  for (const TailLevel& level : tail.levels) {
    ChartSeries series{.name = series_name(tail, level)};
    for (const auto& [share, value] : level.curve) {
      if (share >= 1) continue;
      series.line.push_back({1 / (1 - share), value / unit.size});
      longest = std::max(longest, 1 / (1 - share));
    }
    for (const TailPercentile& one : level.percentiles) {
      if (std::isnan(one.value) || one.doubt != TailDoubt::kNone) continue;
      ChartMark mark{.x = 1 / (1 - one.share),
                     .y = one.value / unit.size,
                     .low = interval_or_nan(one.low, unit.size),
                     .high = interval_or_nan(one.high, unit.size)};
      mark.tip = fmt::format("{}\nlatency\t{}\n{}\t{}", percentile_name(one.share),
                             value_text(one, level.set.seconds), interval_name(tail),
                             interval_text(one, level.set.seconds));
      longest = std::max(longest, mark.x);
      series.marks.push_back(std::move(mark));
    }
    chart.series.push_back(std::move(series));
    if (std::optional<ChartSeries> corrected = corrected_series(tail, level, unit)) {
      for (const ChartMark& mark : corrected->marks) longest = std::max(longest, mark.x);
      chart.series.push_back(*std::move(corrected));
    }
  }
  chart.x = {.label = "1 / (1 - p): 100 is p99, 1000 is p99.9",
             .log = true,
             .low = 1,
             .high = longest * 1.2};
  set_latency_axis(unit, chart);
  add_slo_rule(tail, unit, chart);
  chart.title = "Latency by percentile";
  chart.caption = source_caption(tail);
  const bool stated =
      std::none_of(tail.levels.begin(), tail.levels.end(),
                   [](const TailLevel& level) { return level.fan_out.has_value(); });
  chart.summary = stated ? "The percentiles that the file states."
                         : fmt::format("The latency at each percentile, with {} intervals.",
                                       confidence_text(tail));
  return chart;
}

namespace {

/// Where a level is drawn.
std::optional<double> drawn_load(const Tail& tail, const TailLevel& level) {
  if (tail.by_concurrency) return level.set.concurrency;
  return level.offered ? level.offered : level.served;
}

}  // namespace

Chart load_chart(const Tail& tail) {
  Chart chart;
  chart.kind = "load";
  double largest = 0, most = 0;
  for (const TailLevel& level : tail.levels) {
    for (const TailPercentile& one : level.percentiles) {
      if (one.share <= 0.99 && one.value > 0) largest = std::max(largest, one.value);
    }
    most = std::max(most, drawn_load(tail, level).value_or(0));
  }
  const DrawnLatency unit = drawn_latency(largest, all_seconds(tail));
  for (const double share : {0.5, 0.99}) {
    ChartSeries series{.name = percentile_name(share)};
    for (const TailLevel& level : tail.levels) {
      const std::optional<double> load = drawn_load(tail, level);
      for (const TailPercentile& one : level.percentiles) {
        if (!load || std::fabs(one.share - share) > 1e-9 || std::isnan(one.value)) continue;
        series.line.push_back({*load, one.value / unit.size});
        ChartMark mark{.x = *load,
                       .y = one.value / unit.size,
                       .low = interval_or_nan(one.low, unit.size),
                       .high = interval_or_nan(one.high, unit.size)};
        mark.tip = fmt::format("{}\n{}\t{}\nlatency\t{}", percentile_name(share),
                               tail.by_concurrency ? "in flight" : "load",
                               tail.by_concurrency ? significant(*load, 6) : rate_text(*load),
                               latency_text(one.value, level.set.seconds));
        series.marks.push_back(std::move(mark));
      }
    }
    if (!series.line.empty()) chart.series.push_back(std::move(series));
  }
  if (tail.capacity) {
    for (const QueueFit& fit : tail.capacity->queues) {
      ChartSeries series{.name = "mean by " + fit.name, .role = SeriesRole::kPredicted};
      for (const auto& [load, mean] : fit.curve) {
        if (mean / unit.size < 3 * largest / unit.size)
          series.line.push_back({load, mean / unit.size});
      }
      chart.series.push_back(std::move(series));
    }
    if (tail.capacity->load && *tail.capacity->load > 0) {
      chart.rules.push_back({.name = "largest load within the SLO",
                             .at = *tail.capacity->load,
                             .low = tail.capacity->low,
                             .high = tail.capacity->high});
      most = std::max(most, std::min(tail.capacity->high, 1.5 * most));
    }
  }
  chart.x = {.label = tail.by_concurrency ? "requests in flight" : "load (requests per second)",
             .low = 0,
             .high = most * 1.05};
  set_latency_axis(unit, chart);
  add_slo_rule(tail, unit, chart);
  chart.title = tail.by_concurrency ? "Latency against requests in flight" : "Latency against load";
  chart.caption = source_caption(tail);
  chart.summary = "Percentiles of latency at each level.";
  return chart;
}

Chart fan_out_chart(const Tail& tail) {
  Chart chart;
  chart.kind = "fan-out";
  const TailLevel& level = tail.levels.front();
  double largest = 0;
  if (level.fan_out) {
    for (const FanOutRow& row : level.fan_out->rows) {
      for (const TailPercentile& one : row.all) largest = std::max(largest, one.value);
    }
  }
  const DrawnLatency unit = drawn_latency(largest, level.set.seconds);
  double most = 2;
  for (const double share : {0.5, 0.99}) {
    ChartSeries series{.name = percentile_name(share) + " of the slowest"};
    if (!level.fan_out) continue;
    for (const FanOutRow& row : level.fan_out->rows) {
      for (const TailPercentile& one : row.all) {
        if (one.share != share || one.doubt != TailDoubt::kNone) continue;
        series.line.push_back({row.workers, one.value / unit.size});
        ChartMark mark{.x = row.workers,
                       .y = one.value / unit.size,
                       .low = interval_or_nan(one.low, unit.size),
                       .high = interval_or_nan(one.high, unit.size)};
        mark.tip = fmt::format("K = {}\n{}\t{}", significant(row.workers, 7),
                               percentile_name(share), latency_text(one.value, level.set.seconds));
        most = std::max(most, row.workers);
        series.marks.push_back(std::move(mark));
      }
    }
    if (!series.line.empty()) chart.series.push_back(std::move(series));
  }
  chart.x = {.label = "shards that a request waits for, K",
             .log = true,
             .whole = true,
             .low = 1,
             .high = most * 1.1};
  set_latency_axis(unit, chart);
  add_slo_rule(tail, unit, chart);
  chart.title = "The slowest of K, if shards are independent";
  chart.caption = source_caption(tail);
  chart.summary = "How latency grows with the number of shards that a request waits for.";
  return chart;
}

}  // namespace kstar
