#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "draw/svg_drawing.h"

namespace kstar {

namespace {

/// Where a series has several groups, the middle one has its id.
enum class Layer { kUnder, kItself, kOver };

/// What is one colour is one group: a page's style changes both by its class.
void open_series(const SvgDrawing& drawing, std::size_t index, Layer layer) {
  const ChartSeries& series = drawing.chart.series[index];
  const Look& look = drawing.looks[index];
  const bool page = drawing.on_page();
  const bool itself = layer == Layer::kItself;
  const std::string where = itself ? "" : layer == Layer::kUnder ? "k-under " : "k-over ";
  drawing.out.open("g",
                   {{"class", "k-series " + where + look.color_class()},
                    {"id", page && itself ? fmt::format("{}-s{}", drawing.style.id, index) : ""},
                    {"data-series", page ? std::string_view(series.name) : ""},
                    {"fill", look.ink},
                    {"stroke", look.ink}});
}

/// The area between the ends of some spans.
void add_area(const SvgLayout& layout, std::span<const ChartSpan> spans, SvgPath& path) {
  std::vector<ChartPoint> corners;
  for (const ChartSpan& span : spans) {
    corners.push_back({layout.x.at(span.x), layout.y.at(span.high)});
  }
  for (std::size_t i = spans.size(); i > 0; --i) {
    corners.push_back({layout.x.at(spans[i - 1].x), layout.y.at(spans[i - 1].low)});
  }
  const std::vector<ChartPoint> area = clip_area(std::move(corners), layout.plot);
  for (std::size_t i = 0; i < area.size(); ++i) {
    i == 0 ? path.move(area[i].x, area[i].y) : path.line(area[i].x, area[i].y);
  }
  if (!area.empty()) path.shut();
}

/// A span that is not known interrupts the band.
void draw_band(const SvgDrawing& drawing, const ChartSeries& series) {
  SvgPath path;
  const std::span<const ChartSpan> band = series.band;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= band.size(); ++i) {
    if (i < band.size() && !std::isnan(band[i].x + band[i].low - band[i].high)) continue;
    add_area(drawing.layout, band.subspan(first, i - first), path);
    first = i + 1;
  }
  if (path.empty()) return;
  drawing.out.empty(
      "path",
      {{"class", "k-band"}, {"d", path.text()}, {"fill-opacity", 0.17}, {"stroke", "none"}});
}

/// A reference is straight between its points in its values: where an axis is logarithmic it is
/// bent, and needs points in between. A curve has all the points that it needs.
std::vector<ChartPoint> line_of(const ChartSeries& series, const SvgLayout& layout) {
  const bool reference = series.role == SeriesRole::kIdeal || series.role == SeriesRole::kBound;
  constexpr int kPieces = 48;
  const bool bends = reference && layout.x.axis.log != layout.y.axis.log && series.line.size() < 8;
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < series.line.size(); ++i) {
    const ChartPoint& to = series.line[i];
    for (int piece = 1; bends && i > 0 && piece < kPieces; ++piece) {
      const ChartPoint& from = series.line[i - 1];
      const double share =
          layout.x.axis.log && from.x > 0 && to.x > 0
              ? (from.x * std::pow(to.x / from.x, piece / double{kPieces}) - from.x) /
                    (to.x - from.x)
              : piece / double{kPieces};
      if (!std::isfinite(share)) continue;
      points.push_back({layout.x.at(from.x + share * (to.x - from.x)),
                        layout.y.at(from.y + share * (to.y - from.y))});
    }
    points.push_back({layout.x.at(to.x), layout.y.at(to.y)});
  }
  return points;
}

void draw_line(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  SvgPath path;
  for (const auto& piece : clip_line(line_of(series, drawing.layout), drawing.layout.plot)) {
    path.move(piece[0].x, piece[0].y);
    for (std::size_t i = 1; i < piece.size(); ++i) path.line(piece[i].x, piece[i].y);
  }
  if (path.empty()) return;
  drawing.out.empty("path", {{"class", "k-line"},
                             {"d", path.text()},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(look.line)},
                             {"stroke-dasharray", look.dash},
                             {"stroke-linejoin", "round"}});
}

bool is_reference(const ChartSeries& series) {
  return series.role == SeriesRole::kIdeal || series.role == SeriesRole::kBound;
}

void draw_one(const SvgDrawing& drawing, std::size_t index) {
  const ChartSeries& series = drawing.chart.series[index];
  const Look& look = drawing.looks[index];
  open_series(drawing, index, Layer::kItself);
  draw_stack(drawing, series, look);
  draw_line(drawing, series, look);
  draw_marks(drawing, series, look);
  for (const SvgEndLabel& label : drawing.layout.ends) {
    if (!label.of.rule && label.of.index == index) draw_end_label(drawing, label);
  }
  drawing.out.close("g");
}

}  // namespace

void draw_bands(const SvgDrawing& drawing) {
  for (std::size_t i = 0; i < drawing.chart.series.size(); ++i) {
    if (drawing.chart.series[i].band.empty()) continue;
    open_series(drawing, i, Layer::kUnder);
    draw_band(drawing, drawing.chart.series[i]);
    drawing.out.close("g");
  }
}

void draw_series(const SvgDrawing& drawing) {
  // References first: what was measured stays on top.
  for (const bool reference : {true, false}) {
    for (std::size_t i = 0; i < drawing.chart.series.size(); ++i) {
      if (is_reference(drawing.chart.series[i]) == reference) draw_one(drawing, i);
    }
  }
  for (std::size_t i = 0; i < drawing.chart.series.size(); ++i) {
    if (drawing.chart.series[i].stack.empty()) continue;
    open_series(drawing, i, Layer::kOver);
    draw_stack_ranges(drawing, drawing.chart.series[i]);
    drawing.out.close("g");
  }
}

}  // namespace kstar
