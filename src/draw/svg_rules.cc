#include <algorithm>
#include <cmath>

#include "draw/svg_drawing.h"

namespace kstar {

namespace {

/// The interval as an area over the whole plot; ends that are unknown or outside stop at its
/// border.
void draw_interval(const SvgDrawing& drawing, const ChartRule& rule) {
  if (std::isnan(rule.low) || std::isnan(rule.high)) return;
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  Box area = plot;
  if (rule.on_x) {
    area.left = std::clamp(layout.x.at(rule.low), plot.left, plot.right);
    area.right = std::clamp(layout.x.at(rule.high), plot.left, plot.right);
  } else {
    area.top = std::clamp(layout.y.at(rule.high), plot.top, plot.bottom);
    area.bottom = std::clamp(layout.y.at(rule.low), plot.top, plot.bottom);
  }
  if (area.width() <= 0 || area.height() <= 0) return;
  drawing.out.empty("rect", {{"class", "k-rule-interval"},
                             {"x", area.left},
                             {"y", area.top},
                             {"width", area.width()},
                             {"height", area.height()},
                             {"fill", kInk},
                             {"fill-opacity", 0.09}});
}

void draw_line(const SvgDrawing& drawing, const ChartRule& rule) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const double at = rule.on_x ? layout.x.at(rule.at) : layout.y.at(rule.at);
  if (!(rule.on_x ? at >= plot.left && at <= plot.right : at >= plot.top && at <= plot.bottom))
    return;
  SvgPath line;
  rule.on_x ? line.move(at, plot.top).line(at, plot.bottom)
            : line.move(plot.left, at).line(plot.right, at);
  drawing.out.empty("path", {{"class", "k-rule-line"},
                             {"d", line.text()},
                             {"fill", "none"},
                             {"stroke", kAxisColor},
                             {"stroke-width", drawing.u(0.8)},
                             {"stroke-dasharray", rule.on_x ? "" : "4 2"}});
  if (!drawing.on_page() || rule.tip.empty()) return;
  drawing.out.empty("path", {{"class", "k-hit"},
                             {"d", line.text()},
                             {"fill", "none"},
                             {"stroke", "none"},
                             {"stroke-width", drawing.u(8)},
                             {"pointer-events", "stroke"}});
}

}  // namespace

void draw_rules(const SvgDrawing& drawing) {
  for (const ChartRule& rule : drawing.chart.rules) {
    drawing.out.open("g", {{"class", "k-rule"}, {"data-tip", drawing.tip(rule.tip)}});
    draw_interval(drawing, rule);
    draw_line(drawing, rule);
    drawing.out.close("g");
  }
}

}  // namespace kstar
