#include <algorithm>
#include <cmath>
#include <iterator>

#include "draw/slots.h"
#include "draw/svg_drawing.h"

namespace kstar {

namespace {

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

}  // namespace

double stack_strength(const Look& look) {
  // In grey, from the bottom: 87, 190, 120, 213, 51, 165 of 255.
  constexpr double kStrengths[] = {1, 0.48, 0.9, 0.4, 1, 0.77};
  return look.color < 0 ? 1
                        : kStrengths[static_cast<std::size_t>(look.color) % std::size(kStrengths)];
}

void draw_stack(const SvgDrawing& drawing, const ChartSeries& series, const Look& look) {
  if (series.stack.empty()) return;
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const double width = bar_width(drawing);
  for (const ChartSpan& span : series.stack) {
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
                               {"data-tip", drawing.tip(span.tip)}});
  }
}

void draw_stack_ranges(const SvgDrawing& drawing, const ChartSeries& series) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const Places places = places_of(drawing.chart, series);
  const double width = bar_width(drawing);
  SvgPath path;
  for (const ChartSpan& span : series.stack) {
    if (!(span.least < span.most)) continue;
    const double x = layout.x.at(span.x) + width * ((places.before + 0.5) / places.all - 0.5);
    const double low = std::min(plot.bottom, layout.y.at(span.low + span.least));
    const double high = std::max(plot.top, layout.y.at(span.low + span.most));
    if (low - high > drawing.u(0.5)) path.move(x, low).line(x, high);
  }
  if (path.empty()) return;
  drawing.out.empty("path", {{"class", "k-range"},
                             {"d", path.text()},
                             {"fill", "none"},
                             {"stroke", kInk},
                             {"stroke-width", drawing.u(0.8)}});
}

}  // namespace kstar
