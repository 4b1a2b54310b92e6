#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "draw/svg_drawing.h"

namespace kstar {

namespace {

constexpr double kCap = 2;  ///< half the width of an error bar's end
constexpr std::size_t kMostShapes = 400;
constexpr double kDotOpacity = 0.85;
constexpr std::size_t kMostDots = 4'000;  ///< that are elements of their own, with a tip each
constexpr double kMostPlaces = 20'000;    ///< of dots in one drawing, where there are more

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

void draw_mark(const SvgDrawing& drawing, const ChartMark& mark, double shift, const Look& look,
               const std::string& step) {
  const SvgLayout& layout = drawing.layout;
  const double x = layout.x.at(mark.x) + shift, y = layout.y.at(mark.y);
  const Box& plot = layout.plot;
  if (!(x >= plot.left && x <= plot.right) || std::isnan(y)) return;
  const bool inside = plot.holds(x, y);
  drawing.out.open("g", {{"class", "k-mark"},
                         {"data-tip", drawing.tip(mark.tip)},
                         {"data-step", drawing.on_page() ? step : ""}});
  const std::string bar = bar_of(drawing, mark, x);
  if (!bar.empty()) {
    drawing.out.empty(
        "path",
        {{"class", "k-bar"}, {"d", bar}, {"fill", "none"}, {"stroke-width", drawing.u(0.8)}});
  }
  const bool hollow = look.hollow || !inside;
  drawing.out.empty("path", {{"class", hollow ? "k-point k-hollow" : "k-point"},
                             {"d", inside ? mark_shape(look.shape, x, y, drawing.u(kMarkRadius))
                                          : arrow_out(drawing, x, y)},
                             {"fill", hollow ? kPaper : ""},
                             {"stroke", hollow ? "" : "none"},
                             {"stroke-width", hollow ? coordinate(drawing.u(0.9)) : ""}});
  if (drawing.on_page()) {
    drawing.out.empty("circle", {{"class", "k-hit"},
                                 {"cx", x},
                                 {"cy", std::clamp(y, plot.top, plot.bottom)},
                                 {"r", drawing.u(7)},
                                 {"fill", "none"},
                                 {"stroke", "none"},
                                 {"pointer-events", "all"}});
  }
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
void draw_dots_apart(const SvgDrawing& drawing, const std::vector<ChartMark>& marks) {
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

}  // namespace

bool has_shapes(const Chart& chart, const ChartSeries& series) {
  if (!series.small) return true;
  std::size_t dots = 0;
  for (const ChartSeries& other : chart.series) dots += other.small ? other.marks.size() : 0;
  return dots <= kMostShapes;
}

void draw_marks(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  if (series.small) {
    if (has_shapes(drawing.chart, series)) {
      draw_shapes(drawing, series.marks, look);
    } else if (drawing.on_page() && series.marks.size() <= kMostDots) {
      draw_dots_apart(drawing, series.marks);
    } else {
      draw_dots(drawing, series.marks);
    }
    return;
  }
  if (series.stepped) drawing.out.open("g", {{"class", "k-stepped"}});
  for (const ChartMark& mark : series.marks) {
    draw_mark(drawing, mark, drawing.u(shift_of(drawing.chart, series, mark)), look,
              series.stepped ? fmt::format("{}", mark.x) : "");
  }
  if (series.stepped) drawing.out.close("g");
}

}  // namespace kstar
