#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "kstar/trace_report.h"

namespace kstar {

std::optional<Chart> wait_chart(const TraceAnalysis& analysis) {
  if (!analysis.split || analysis.waits.size() < 2) return std::nullopt;
  Chart chart;
  chart.title = "Who waits for whom, milliseconds per step";
  chart.x.label = "the last rank";
  chart.y.label = "the waiting rank";
  chart.values.label = "ms per step";
  double most = 0;
  for (std::size_t r = 0; r < analysis.ranks.size(); ++r) {
    chart.x.names.push_back(fmt::format("{}", analysis.ranks[r].rank));
    chart.y.names.push_back(fmt::format("{}", analysis.ranks[r].rank));
    for (std::size_t last = 0; last < analysis.ranks.size(); ++last) {
      const double value = 1e3 * analysis.waits[r][last];
      most = std::max(most, value);
      chart.cells.push_back(
          {static_cast<double>(last), static_cast<double>(r), value,
           fmt::format("rank {} for rank {}\nwaits\t{} ms", analysis.ranks[r].rank,
                       analysis.ranks[last].rank, significant(value, 3))});
    }
  }
  chart.x.high = chart.y.high = static_cast<double>(analysis.ranks.size()) - 1;
  chart.values.high = std::max(most, 1e-6);
  return chart;
}

std::optional<Chart> lane_chart(const TraceAnalysis& analysis) {
  if (analysis.lanes.empty()) return std::nullopt;
  Chart chart;
  chart.title = fmt::format("Lanes of step {}", analysis.path ? analysis.path->step : "");
  chart.x.label = "rank and lane";
  chart.y.label = "milliseconds from the start of the step";
  static constexpr const char* kNames[] = {"compute", "communication", "copy"};
  for (int kind = 0; kind < 3; ++kind) {
    ChartSeries series;
    series.name = kNames[kind];
    series.color = kind;
    chart.series.push_back(std::move(series));
  }
  double high = 0;
  for (std::size_t i = 0; i < analysis.lanes.size(); ++i) {
    const TraceLane& lane = analysis.lanes[i];
    chart.x.names.push_back(fmt::format("{}: {}", lane.rank, shorten(printable(lane.name), 12)));
    for (const TraceLane::Piece& piece : lane.pieces) {
      const double low = std::max(0.0, 1e3 * piece.start), end = 1e3 * piece.end;
      if (end <= low) continue;
      high = std::max(high, end);
      ChartSpan span;
      span.x = static_cast<double>(i);
      span.low = low;
      span.high = end;
      span.tip = fmt::format("{}\n{}\t{} ms", shorten(printable(piece.name), 60), "takes",
                             significant(end - low, 3));
      chart.series[static_cast<std::size_t>(piece.kind)].stack.push_back(std::move(span));
    }
  }
  chart.x.high = std::max(1.0, static_cast<double>(analysis.lanes.size()) - 1);
  chart.y.high = std::max(high, 1e-6);
  return chart;
}

Chart breakdown_chart(const TraceAnalysis& analysis) {
  Chart chart;
  chart.title = fmt::format("Where a step's time goes, K = {}", analysis.workers);
  chart.x.label = "rank";
  chart.y.label = "milliseconds per step";
  struct Part {
    const char* name;
    double TraceTimes::*field;
  };
  std::vector<Part> parts = {{"compute", &TraceTimes::compute}};
  if (analysis.split) {
    parts.push_back({"exposed transfer", &TraceTimes::exposed_transfer});
    parts.push_back({"exposed waiting", &TraceTimes::exposed_waiting});
  } else {
    parts.push_back({"exposed communication", &TraceTimes::exposed});
  }
  parts.push_back({"copies", &TraceTimes::copies});
  parts.push_back({"idle", &TraceTimes::idle});
  std::vector<double> top(analysis.ranks.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    ChartSeries series;
    series.name = parts[p].name;
    series.color = static_cast<int>(p);
    for (std::size_t r = 0; r < analysis.ranks.size(); ++r) {
      const double value = 1e3 * (analysis.ranks[r].times.*parts[p].field);
      ChartSpan span;
      span.x = static_cast<double>(r);
      span.low = top[r];
      span.high = top[r] + value;
      span.tip = fmt::format("rank {}\n{}\t{} ms", analysis.ranks[r].rank, parts[p].name,
                             significant(value, 3));
      top[r] += value;
      series.stack.push_back(std::move(span));
    }
    chart.series.push_back(std::move(series));
  }
  for (const TraceRank& rank : analysis.ranks)
    chart.x.names.push_back(fmt::format("{}", rank.rank));
  chart.x.high = std::max(1.0, static_cast<double>(analysis.ranks.size()) - 1);
  chart.y.high = std::max(1e-6, *std::max_element(top.begin(), top.end()));
  chart.summary =
      fmt::format("A stack per rank: {} ms on average.", significant(1e3 * analysis.mean.step, 3));
  return chart;
}

}  // namespace kstar
