#include "draw/svg_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "draw/scale.h"
#include "draw/svg_names.h"

namespace kstar {

namespace {

constexpr double kCap = 2;  ///< half the width of an error bar's end
constexpr std::size_t kMostShapes = 400;
constexpr double kDotOpacity = 0.85;
constexpr std::size_t kMostDots = 4'000;  ///< that are elements of their own, with a tip each
constexpr double kMostPlaces = 20'000;    ///< of dots in one drawing, where there are more

/// So many marks of one series hide what leads through them: they are smaller then, their bars are
/// faint, and the lines are drawn over them.
constexpr std::size_t kCrowd = 30;
constexpr double kCrowdRadius = 1.4;
constexpr double kCrowdOpacity = 0.45;

bool is_crowd(const ChartSeries& series) {
  return !series.small && series.marks.size() > kCrowd;
}

bool has_crowd(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), is_crowd);
}

bool has_bar(const ChartMark& mark) {
  return !std::isnan(mark.low) && !std::isnan(mark.high);
}

/// The interval as a bar with a cap at each end that lies within the plot; an end that does not is
/// open, with an arrow on.
std::string bar_of(const SvgDrawing& drawing, const ChartMark& mark, double x) {
  if (!has_bar(mark)) return "";
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const double low = layout.y.at(mark.low), high = layout.y.at(mark.high);
  if (low < plot.top || high > plot.bottom) return "";  // all of it is outside
  const double cap = drawing.u(kCap);
  SvgPath path;
  path.move(x, std::min(low, plot.bottom)).line(x, std::max(high, plot.top));
  for (const double end : {low, high}) {
    if (end >= plot.top && end <= plot.bottom) {
      path.move(x - cap, end).across(2 * cap);
    } else {
      const double border = end < plot.top ? plot.top : plot.bottom;
      const double back = end < plot.top ? cap : -cap;
      path.move(x - cap, border + back).line(x, border).line(x + cap, border + back);
    }
  }
  return path.text();
}

/// A value outside the picture: an arrow at the border where it left.
std::string arrow_out(const SvgDrawing& drawing, double x, double y) {
  const Box& plot = drawing.layout.plot;
  const double r = drawing.u(kMarkRadius), border = y < plot.top ? plot.top : plot.bottom;
  const double back = y < plot.top ? 2 * r : -2 * r;
  SvgPath path;
  return path.move(x, border).line(x - r, border + back).line(x + r, border + back).shut().text();
}

/// How the marks of a series are drawn.
struct MarkStyle {
  const Look& look;
  bool crowd = false;
  double radius = kMarkRadius;
};

void draw_bar(const SvgDrawing& drawing, const std::string& bar, bool crowd) {
  if (bar.empty()) return;
  drawing.out.empty("path", {{"class", "k-bar"},
                             {"d", bar},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(crowd ? 0.5 : 0.8)},
                             {"stroke-opacity", crowd ? coordinate(kCrowdOpacity) : ""}});
}

void draw_mark(const SvgDrawing& drawing, const ChartMark& mark, double shift,
               const MarkStyle& style, const std::string& step) {
  const SvgLayout& layout = drawing.layout;
  const double x = layout.x.at(mark.x) + shift, y = layout.y.at(mark.y);
  const Box& plot = layout.plot;
  if (!(x >= plot.left && x <= plot.right) || std::isnan(y)) return;
  const bool inside = plot.holds(x, y);
  drawing.out.open("g", {{"class", "k-mark"},
                         {"data-tip", drawing.tip(mark.tip)},
                         {"data-step", drawing.on_page() ? step : ""}});
  draw_bar(drawing, bar_of(drawing, mark, x), style.crowd);
  const bool hollow = style.look.hollow || !inside;
  drawing.out.empty("path",
                    {{"class", hollow ? "k-point k-hollow" : "k-point"},
                     {"d", inside ? mark_shape(style.look.shape, x, y, drawing.u(style.radius))
                                  : arrow_out(drawing, x, y)},
                     {"fill", hollow ? kPaper : ""},
                     {"stroke", hollow ? "" : "none"},
                     {"stroke-width", hollow ? coordinate(drawing.u(0.9)) : ""}});
  drawing.out.close("g");
}

/// How far aside a mark stands. Bars of several series at one place would hide each other; marks
/// that a line leads through stay on it.
double shift_of(const Chart& chart, const ChartSeries& series, const ChartMark& mark) {
  constexpr double kStep = 2.2, kMost = 6.6;
  if (!series.line.empty() || !has_bar(mark)) return 0;
  double before = 0, others = 0;
  for (const ChartSeries& other : chart.series) {
    if (other.small || !other.line.empty() || &other == &series) continue;
    const bool here = std::any_of(
        other.marks.begin(), other.marks.end(),
        [&](const ChartMark& candidate) { return candidate.x == mark.x && has_bar(candidate); });
    if (!here) continue;
    ++others;
    if (&other < &series) ++before;
  }
  return others == 0 ? 0 : (before - others / 2) * std::min(kStep, kMost / others);
}

/// Few marks without bars: a shape each, so that series can be told apart in grey.
void draw_shapes(const SvgDrawing& drawing, const std::vector<ChartMark>& marks, const Look& look) {
  const SvgLayout& layout = drawing.layout;
  for (const ChartMark& mark : marks) {
    const double x = layout.x.at(mark.x), y = layout.y.at(mark.y);
    if (!layout.plot.holds(x, y)) continue;
    drawing.out.empty("path", {{"class", "k-dot"},
                               {"d", mark_shape(look.shape, x, y, drawing.u(kSmallRadius))},
                               {"stroke", "none"},
                               {"fill-opacity", kDotOpacity},
                               {"data-tip", drawing.tip(mark.tip)}});
  }
}

/// Some dots of a page: each with its tip.
void draw_spread_dots(const SvgDrawing& drawing, const std::vector<ChartMark>& marks) {
  const SvgLayout& layout = drawing.layout;
  for (const ChartMark& mark : marks) {
    const double x = layout.x.at(mark.x), y = layout.y.at(mark.y);
    if (!layout.plot.holds(x, y)) continue;
    drawing.out.empty("circle", {{"class", "k-dot"},
                                 {"cx", x},
                                 {"cy", y},
                                 {"r", drawing.u(kDotRadius)},
                                 {"stroke", "none"},
                                 {"fill-opacity", kDotOpacity},
                                 {"data-tip", drawing.tip(mark.tip)}});
  }
}

/// Dots as one path of points with round ends. Where there are very many, those that would lie on
/// each other are one.
void draw_dots(const SvgDrawing& drawing, const std::vector<ChartMark>& marks) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const double grid =
      marks.size() <= kMostDots ? 0.01 : std::sqrt(plot.width() * plot.height() / kMostPlaces);
  std::set<std::pair<long, long>> places;
  for (const ChartMark& mark : marks) {
    const double x = layout.x.at(mark.x), y = layout.y.at(mark.y);
    if (plot.holds(x, y)) places.emplace(std::lround(x / grid), std::lround(y / grid));
  }
  SvgPath path;
  for (const auto& [x, y] : places) {
    path.move(static_cast<double>(x) * grid, static_cast<double>(y) * grid).across(0);
  }
  if (path.empty()) return;
  drawing.out.empty("path", {{"class", "k-dot"},
                             {"d", path.text()},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(2 * kDotRadius)},
                             {"stroke-linecap", "round"},
                             {"stroke-opacity", kDotOpacity}});
}

void draw_marks(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  if (series.small) {
    if (has_shapes(drawing.chart, series)) {
      draw_shapes(drawing, series.marks, look);
    } else if (drawing.on_page() && series.marks.size() <= kMostDots) {
      draw_spread_dots(drawing, series.marks);
    } else {
      draw_dots(drawing, series.marks);
    }
    return;
  }
  const bool crowd = is_crowd(series);
  const MarkStyle style{look, crowd, crowd ? kCrowdRadius : kMarkRadius};
  if (series.stepped) drawing.out.open("g", {{"class", "k-stepped"}});
  for (const ChartMark& mark : series.marks) {
    draw_mark(drawing, mark, drawing.u(shift_of(drawing.chart, series, mark)), style,
              series.stepped ? fmt::format("{}", mark.x) : "");
  }
  if (series.stepped) drawing.out.close("g");
}

/// Of all bars of the chart.
double bar_width(const SvgDrawing& drawing) {
  std::vector<double> xs;
  for (const ChartSeries& series : drawing.chart.series) {
    for (const ChartSpan& span : series.stack) xs.push_back(span.x);
  }
  double narrowest = drawing.layout.plot.width();
  for (const Slot& slot : slots_of(std::move(xs), drawing.layout.x)) {
    narrowest = std::min(narrowest, slot.to - slot.from);
  }
  return std::clamp(0.72 * narrowest, 0.5, drawing.u(36));
}

/// Intervals of the parts of one bar stand side by side: one place a series.
struct Places {
  double before = 0;
  double all = 0;
};

Places places_of(const Chart& chart, const ChartSeries& series) {
  Places places;
  for (const ChartSeries& other : chart.series) {
    if (other.stack.empty()) continue;
    if (&other < &series) ++places.before;
    ++places.all;
  }
  return places;
}

/// Above its bar or, where there is no room, in it.
void draw_part_label(const SvgDrawing& drawing, const ChartSpan& span, double top, double bottom) {
  const double size = drawing.layout.letters.size;
  const bool above = top - size > drawing.layout.plot.top;
  const bool below = !above && bottom + 1.2 * size < drawing.layout.plot.bottom;
  drawing.out.text("text",
                   {{"class", "k-part-label"},
                    {"x", drawing.layout.x.at(span.x)},
                    {"y", above   ? top - 0.3 * size
                          : below ? bottom + size
                                  : top + size},
                    {"text-anchor", "middle"},
                    {"fill", above || below ? kInk : kPaper},
                    {"stroke", "none"}},
                   span.label);
}

void draw_stack(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  if (series.stack.empty()) return;
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const double width = bar_width(drawing);
  for (std::size_t i = 0; i < series.stack.size(); ++i) {
    const ChartSpan& span = series.stack[i];
    const double x = layout.x.at(span.x);
    const double top = std::max(plot.top, std::min(layout.y.at(span.high), layout.y.at(span.low)));
    const double bottom =
        std::min(plot.bottom, std::max(layout.y.at(span.high), layout.y.at(span.low)));
    if (!(bottom > top) || !(x >= plot.left && x <= plot.right)) continue;
    drawing.out.empty("rect", {{"class", "k-part"},
                               {"x", x - width / 2},
                               {"y", top},
                               {"width", width},
                               {"height", bottom - top},
                               {"fill-opacity", stack_strength(look)},
                               {"stroke", kPaper},
                               {"stroke-width", drawing.u(0.5)},
                               {"data-part", drawing.on_page() ? fmt::format("{}", i) : ""},
                               {"data-tip", drawing.tip(span.tip)}});
    if (!span.label.empty()) draw_part_label(drawing, span, top, bottom);
  }
}

/// The intervals of its parts, on top of all bars. One element each: a page moves them with their
/// parts.
void draw_stack_ranges(const SvgDrawing& drawing, const ChartSeries& series) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const Places places = places_of(drawing.chart, series);
  const double width = bar_width(drawing);
  for (std::size_t i = 0; i < series.stack.size(); ++i) {
    const ChartSpan& span = series.stack[i];
    if (!(span.least < span.most)) continue;
    const double x = layout.x.at(span.x) + width * ((places.before + 0.5) / places.all - 0.5);
    const double low = std::min(plot.bottom, layout.y.at(span.low + span.least));
    const double high = std::max(plot.top, layout.y.at(span.low + span.most));
    if (low - high <= drawing.u(0.5)) continue;
    SvgPath path;
    path.move(x, low).line(x, high);
    drawing.out.empty("path", {{"class", "k-range"},
                               {"d", path.text()},
                               {"fill", "none"},
                               {"stroke", kInk},
                               {"stroke-width", drawing.u(0.8)},
                               {"data-part", drawing.on_page() ? fmt::format("{}", i) : ""}});
  }
}

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
  constexpr int kPieces = 48;
  const bool bends =
      is_reference(series) && layout.x.axis.log != layout.y.axis.log && series.line.size() < 8;
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

void draw_series_line(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  SvgPath path;
  for (const auto& piece : clip_line(line_of(series, drawing.layout), drawing.layout.plot)) {
    path.move(piece[0].x, piece[0].y);
    for (std::size_t i = 1; i < piece.size(); ++i) path.line(piece[i].x, piece[i].y);
  }
  if (path.empty()) return;
  if (has_crowd(drawing.chart) && !is_reference(series) &&
      !series.small) {  // told from the marks below it
    drawing.out.empty("path", {{"class", "k-halo"},
                               {"d", path.text()},
                               {"fill", "none"},
                               {"stroke", kPaper},
                               {"stroke-width", drawing.u(look.line + 1.6)},
                               {"stroke-linejoin", "round"}});
  }
  drawing.out.empty("path", {{"class", "k-line"},
                             {"d", path.text()},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(look.line)},
                             {"stroke-dasharray", look.dash},
                             {"stroke-linejoin", "round"}});
}

void draw_one(const SvgDrawing& drawing, std::size_t index) {
  const ChartSeries& series = drawing.chart.series[index];
  const Look& look = drawing.looks[index];
  open_series(drawing, index, Layer::kItself);
  draw_stack(drawing, series, look);
  if (is_crowd(series)) draw_marks(drawing, series, look);
  draw_series_line(drawing, series, look);
  if (!is_crowd(series)) draw_marks(drawing, series, look);
  for (const SvgEndLabel& label : drawing.layout.ends) {
    if (!label.of.rule && label.of.index == index) draw_end_label(drawing, label);
  }
  drawing.out.close("g");
}

}  // namespace

bool has_shapes(const Chart& chart, const ChartSeries& series) {
  if (!series.small) return true;
  std::size_t dots = 0;
  for (const ChartSeries& other : chart.series) dots += other.small ? other.marks.size() : 0;
  return dots <= kMostShapes;
}

double stack_strength(const Look& look) {
  // In grey, from the bottom: 87, 190, 120, 213, 51, 165 of 255.
  constexpr double kStrengths[] = {1, 0.48, 0.9, 0.4, 1, 0.77};
  return look.color < 0 ? 1
                        : kStrengths[static_cast<std::size_t>(look.color) % std::size(kStrengths)];
}

void draw_bands(const SvgDrawing& drawing) {
  for (std::size_t i = 0; i < drawing.chart.series.size(); ++i) {
    if (drawing.chart.series[i].band.empty()) continue;
    open_series(drawing, i, Layer::kUnder);
    draw_band(drawing, drawing.chart.series[i]);
    drawing.out.close("g");
  }
}

void draw_series(const SvgDrawing& drawing) {
  // References first: what was measured stays on top, but for the lines through a crowd.
  const auto place = [&](const ChartSeries& series) {
    if (is_reference(series)) return 0;
    if (series.line.empty() && is_crowd(series)) return 1;
    return series.small && !series.line.empty() ? 2 : 3;
  };
  for (const int now : {0, 1, 2, 3}) {
    for (std::size_t i = 0; i < drawing.chart.series.size(); ++i) {
      if (place(drawing.chart.series[i]) == now) draw_one(drawing, i);
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
