#include <algorithm>

#include "draw/svg_drawing.h"

namespace kstar {

namespace {

void draw_ticks(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  SvgPath major, minor;
  if (layout.x.axis.names.empty()) {
    for (const Tick& tick : layout.x_ticks) {
      major.move(layout.x.at(tick.value), plot.bottom).down(drawing.u(2.5));
    }
  }
  if (layout.y.axis.names.empty()) {
    for (const Tick& tick : layout.y_ticks) {
      major.move(plot.left, layout.y.at(tick.value)).across(-drawing.u(2.5));
    }
  }
  for (const double value : minor_ticks_of(layout.x.axis, layout.x_ticks)) {
    minor.move(layout.x.at(value), plot.bottom).down(drawing.u(1.5));
  }
  for (const double value : minor_ticks_of(layout.y.axis, layout.y_ticks)) {
    minor.move(plot.left, layout.y.at(value)).across(-drawing.u(1.5));
  }
  for (const SvgPath* path : {&major, &minor}) {
    if (path->empty()) continue;
    drawing.out.empty("path", {{"class", path == &major ? "k-tick" : "k-tick k-minor"},
                               {"d", path->text()},
                               {"fill", "none"},
                               {"stroke", kAxisColor},
                               {"stroke-width", path == &major ? 0.6 : 0.4}});
  }
}

void draw_tick_labels(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  const double size = layout.letters.size;
  for (const Tick& tick : layout.x_ticks) {
    const double x = layout.x.at(tick.value), top = layout.plot.bottom + drawing.u(4);
    if (layout.x_upright) {
      draw_text(
          drawing,
          {.css = "k-number", .x = x + 0.35 * size, .y = top, .anchor = "end", .upright = true},
          tick.label);
    } else {
      draw_text(drawing, {.css = "k-number", .x = x, .y = top + kAscent * size, .anchor = "middle"},
                tick.label);
    }
  }
  for (const Tick& tick : layout.y_ticks) {
    draw_text(drawing,
              {.css = "k-number",
               .x = layout.plot.left - drawing.u(4),
               .y = layout.y.at(tick.value) + 0.35 * size,
               .anchor = "end"},
              tick.label);
  }
}

}  // namespace

void draw_upright(const SvgDrawing& drawing, const std::vector<std::string>& lines, double base) {
  const Box& plot = drawing.layout.plot;
  for (const std::string& line : lines) {
    draw_text(drawing,
              {.css = "k-axis-label",
               .x = base,
               .y = (plot.top + plot.bottom) / 2,
               .anchor = "middle",
               .upright = true},
              line);
    base += kLineHeight * drawing.layout.letters.size;
  }
}

void draw_grid(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  if (layout.has_scale || !layout.y.axis.names.empty()) return;
  SvgPath lines;
  for (const Tick& tick : layout.y_ticks) {
    const double y = layout.y.at(tick.value);
    if (y > layout.plot.bottom - 0.5) continue;  // the axis is there
    lines.move(layout.plot.left, y).across(layout.plot.width());
  }
  if (lines.empty()) return;
  drawing.out.empty("path", {{"class", "k-grid"},
                             {"d", lines.text()},
                             {"fill", "none"},
                             {"stroke", kGridColor},
                             {"stroke-width", 0.5}});
}

void draw_axes(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  SvgPath frame;
  frame.move(plot.left, plot.top).line(plot.left, plot.bottom).line(plot.right, plot.bottom);
  drawing.out.open("g", {{"class", "k-axes"}});
  drawing.out.empty("path", {{"class", "k-axis"},
                             {"d", frame.text()},
                             {"fill", "none"},
                             {"stroke", kAxisColor},
                             {"stroke-width", 0.6}});
  draw_ticks(drawing);
  draw_tick_labels(drawing);
  // A label that is longer than its axis is centred on the drawing.
  const double half = text_width(layout.x_label, layout.letters) / 2 + drawing.u(3);
  const double x =
      std::clamp((plot.left + plot.right) / 2, half, std::max(half, layout.width - half));
  if (!layout.x_label.empty()) {
    draw_text(drawing,
              {.css = "k-axis-label", .x = x, .y = layout.x_label_base, .anchor = "middle"},
              layout.x_label);
  }
  draw_upright(drawing, layout.y_label, layout.y_label_base);
  drawing.out.close("g");
}

}  // namespace kstar
