#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/comm_report.h"
#include "kstar/network_cost.h"
#include "report/comm/words.h"

namespace kstar {

namespace {

constexpr std::size_t kMostSeries = 8;

/// What is on the y axis, and times in which unit.
struct Charted {
  CommChartKind kind;
  TimeUnit unit;
};

/// A time, or bytes per second: bus bandwidth where K is known.
double charted(const CommFit& fit, const Charted& what, double bytes, double seconds) {
  if (what.kind == CommChartKind::kTime) return seconds / what.unit.seconds;
  constexpr double kGiga = 1e9;
  const double factor = fit.workers >= 2 ? bus_factor(fit.collective, fit.workers) : 1;
  return factor * bytes / seconds / kGiga;
}

/// The collective that all of them are of, where it is one, and where K tells them apart.
std::optional<Collective> only_collective(const CommAnalysis& analysis) {
  const CommFit& first = analysis.fits.front();
  const bool same = std::all_of(
      analysis.fits.begin(), analysis.fits.end(),
      [&](const CommFit& fit) { return fit.collective == first.collective && fit.workers >= 2; });
  return same && analysis.fits.size() > 1 ? std::optional(first.collective) : std::nullopt;
}

/// Of a time in the middle of all.
TimeUnit middle_unit(const CommAnalysis& analysis) {
  double least = 1e300, most = 0;
  for (const CommFit& fit : analysis.fits) {
    for (const CommPoint& point : fit.points) {
      least = std::min(least, point.seconds), most = std::max(most, point.seconds);
    }
  }
  return time_unit_for(std::sqrt(least * most));
}

/// "all-reduce, 16 workers on 2 nodes", or shorter where the title has the collective.
std::string label_of(const CommFit& fit, bool in_title) {
  if (!in_title) return comm_words::subject(fit);
  std::string text = fmt::format("K = {}", comm_words::workers(fit.workers));
  if (fit.nodes < 1) return text;
  return text + ", " + count_text(static_cast<std::size_t>(fit.nodes), "node");
}

/// The files of all sweeps: the first, or how many.
std::string sources_text(const CommAnalysis& analysis) {
  std::set<std::string> all;
  for (const CommFit& fit : analysis.fits) all.insert(fit.sources.begin(), fit.sources.end());
  return all.size() == 1 ? *all.begin() : count_text(all.size(), "file");
}

ChartSeries series_of(const CommFit& fit, const Charted& what, int color, bool in_title) {
  ChartSeries series;
  series.name = label_of(fit, in_title);
  series.color = color;
  constexpr std::size_t kMany = 16;
  series.small = fit.points.size() > kMany;  // larger marks would cover the lines
  for (const CommPoint& point : fit.points) {
    if (!(point.bytes > 0)) continue;
    ChartMark mark{.x = point.bytes, .y = charted(fit, what, point.bytes, point.seconds)};
    mark.tip = fmt::format("{}\n{}\t{}\nfitted\t{}", comm_words::subject(fit),
                           size_text(point.bytes), comm_words::time(point.seconds),
                           fit.pieces.empty() ? "-" : comm_words::time(point.fitted));
    if (point.times > 1) {
      const double a = charted(fit, what, point.bytes, point.low);
      const double b = charted(fit, what, point.bytes, point.high);
      mark.low = std::min(a, b), mark.high = std::max(a, b);
      if (series.small) series.band.push_back({point.bytes, mark.low, mark.high, mark.tip});
    }
    series.marks.push_back(std::move(mark));
  }
  return series;
}

/// The pieces as lines of their own: they need not meet.
void add_pieces(const CommFit& fit, const Charted& what, int color, Chart& chart) {
  for (const NetworkPiece& piece : fit.pieces) {
    ChartSeries line;
    line.color = color;
    const double from = std::max(1.0, piece.from), to = std::max(from, piece.to);
    constexpr int kPoints = 24;
    for (int i = 0; i <= kPoints; ++i) {
      const double bytes = from * std::pow(to / from, static_cast<double>(i) / kPoints);
      const double seconds = piece.alpha.point + piece.beta.point * bytes;
      line.line.push_back({bytes, charted(fit, what, bytes, seconds)});
    }
    chart.series.push_back(std::move(line));
  }
}

}  // namespace

Chart to_chart(const CommAnalysis& analysis, CommChartKind kind) {
  Chart chart;
  const bool time = kind == CommChartKind::kTime;
  const auto only = only_collective(analysis);
  const std::string of = only ? fmt::format(" of {}", name_of(*only)) : "";
  chart.title = fmt::format("{}{} by size", time ? "Time" : "Bus bandwidth", of);
  chart.x = {.label = "bytes", .log = true};
  const Charted what{kind, middle_unit(analysis)};
  chart.y = {.label = time ? fmt::format("time ({})", what.unit.name) : "bus bandwidth (GB/s)",
             .log = time};
  double low_x = 1e300, high_x = 1, low_y = 1e300, high_y = 0;
  int color = 0;
  for (const CommFit& fit : analysis.fits) {
    if (static_cast<std::size_t>(color) == kMostSeries) {
      chart.notes.push_back(
          fmt::format("{} more are not drawn", analysis.fits.size() - kMostSeries));
      break;
    }
    ChartSeries series = series_of(fit, what, color, only.has_value());
    for (const ChartMark& mark : series.marks) {
      low_x = std::min(low_x, mark.x), high_x = std::max(high_x, mark.x);
      low_y = std::min(low_y, mark.y), high_y = std::max(high_y, mark.y);
    }
    add_pieces(fit, what, color, chart);
    chart.series.push_back(std::move(series));
    ++color;
  }
  if (!time && analysis.link) {
    constexpr double kGiga = 1e9;
    chart.rules.push_back({.name = "link", .on_x = false, .at = *analysis.link / kGiga});
    high_y = std::max(high_y, *analysis.link / kGiga);
  }
  constexpr double kRoom = 1.15;
  chart.x.low = low_x / kRoom, chart.x.high = high_x * kRoom;
  chart.y.low = time ? low_y / kRoom : 0;
  chart.y.high = high_y * kRoom;
  const CommFit& first = analysis.fits.front();
  chart.caption = fmt::format("{}: {}; lines are alpha + beta x bytes, fitted in pieces",
                              sources_text(analysis), printable(first.tool));
  chart.summary =
      fmt::format("{} of {}", time ? "Time by message size" : "Bus bandwidth by size",
                  analysis.fits.size() == 1 ? comm_words::subject(first)
                                            : fmt::format("{} sweeps", analysis.fits.size()));
  return chart;
}

}  // namespace kstar
