#include "draw/svg_names.h"

#include <cmath>

#include "draw/svg_series.h"

namespace kstar {

namespace {

Look look_of(const SvgDrawing& drawing, const SvgNamed& of) {
  return of.rule ? rule_look_of(drawing.chart.rules[of.index]) : drawing.looks[of.index];
}

std::string letters_class(const Look& look) {
  return "k-label " + look.color_class() + "-text";
}

/// A sample of how a series is drawn, around the middle of a place.
void draw_key(const SvgDrawing& drawing, const SvgNamed& of, double left, double middle) {
  const Look look = look_of(drawing, of);
  const double width = drawing.u(kLineKey), x = left + width / 2;
  drawing.out.open(
      "g", {{"class", "k-key " + look.color_class()}, {"fill", look.ink}, {"stroke", look.ink}});
  const bool is_rule = of.rule;
  const ChartSeries* series = is_rule ? nullptr : &drawing.chart.series[of.index];
  if (series != nullptr && (!series->stack.empty() || !series->band.empty())) {
    const bool stack = !series->stack.empty();
    const double half = drawing.u(stack ? 3 : 2.8);
    drawing.out.empty("rect", {{"class", stack ? "k-part" : "k-band"},
                               {"x", left},
                               {"y", middle - half},
                               {"width", stack ? 2 * half : width},
                               {"height", 2 * half},
                               {"fill-opacity", stack ? stack_strength(look) : 0.17},
                               {"stroke", "none"}});
  }
  const bool upright = is_rule && drawing.chart.rules[of.index].on_x;
  if (is_rule || !series->line.empty()) {
    SvgPath line;
    upright ? line.move(x, middle - drawing.u(3.5)).down(drawing.u(7))
            : line.move(left, middle).across(width);
    drawing.out.empty("path", {{"class", "k-line"},
                               {"d", line.text()},
                               {"fill", "none"},
                               {"stroke-width", drawing.u(look.line)},
                               {"stroke-dasharray", look.dash}});
  }
  if (!is_rule && !series->marks.empty()) {
    const bool shaped = has_shapes(drawing.chart, *series);
    const double radius = drawing.u(!series->small ? kMarkRadius
                                    : shaped       ? kSmallRadius
                                                   : kDotRadius);
    drawing.out.empty("path", {{"class", look.hollow ? "k-point k-hollow" : "k-point"},
                               {"d", mark_shape(shaped ? look.shape : 0, x, middle, radius)},
                               {"fill", look.hollow ? kPaper : ""},
                               {"stroke", look.hollow ? "" : "none"},
                               {"stroke-width", look.hollow ? coordinate(drawing.u(0.9)) : ""}});
  }
  drawing.out.close("g");
}

}  // namespace

void draw_end_label(const SvgDrawing& drawing, const SvgEndLabel& label) {
  const SvgLayout& layout = drawing.layout;
  const double size = layout.letters.size, line_height = kLineHeight * size;
  const Look look = look_of(drawing, label.of);
  const double left = layout.plot.right, x = left + drawing.u(8);
  if (std::fabs(label.y - label.line_y) > 0.35 * size) {
    SvgPath lead;
    lead.move(left + drawing.u(1), label.line_y).line(x - drawing.u(1.5), label.y);
    drawing.out.empty("path", {{"class", "k-lead"},
                               {"d", lead.text()},
                               {"fill", "none"},
                               {"stroke", look.ink},
                               {"stroke-width", drawing.u(0.5)}});
  }
  double y = label.y - line_height * static_cast<double>(label.lines.size() - 1) / 2 + 0.35 * size;
  for (const std::string& line : label.lines) {
    drawing.out.text("text",
                     {{"class", letters_class(look)},
                      {"x", x},
                      {"y", y},
                      {"fill", look.letters},
                      {"stroke", "none"}},
                     line);
    y += line_height;
  }
}

void draw_flags(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  const double size = layout.letters.size, line_height = kLineHeight * size;
  for (const SvgFlag& flag : layout.flags) {
    const Look look = look_of(drawing, flag.of);
    const double bottom = layout.plot.top - drawing.u(1) - flag.row * line_height;
    const bool page = drawing.on_page() && !flag.of.rule;
    drawing.out.open(
        "g", {{"class", "k-flag"},
              {"data-flag",
               drawing.on_page() && flag.of.rule ? drawing.chart.rules[flag.of.index].key : ""},
              {"data-series", page ? drawing.chart.series[flag.of.index].name : ""}});
    if (flag.line) {
      SvgPath lead;
      lead.move(flag.at, layout.plot.top).line(flag.at, bottom);
      drawing.out.empty("path", {{"class", "k-lead"},
                                 {"d", lead.text()},
                                 {"fill", "none"},
                                 {"stroke", look.ink},
                                 {"stroke-width", drawing.u(0.8)},
                                 {"stroke-dasharray", flag.of.rule ? look.dash : ""}});
    }
    draw_text(drawing,
              {.css = letters_class(look),
               .x = flag.left,
               .y = bottom - kDescent * size,
               .fill = look.letters},
              flag.text);
    drawing.out.close("g");
  }
  for (const SvgEndLabel& label : layout.ends) {
    if (label.of.rule) draw_end_label(drawing, label);
  }
}

void draw_legend(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  if (layout.legend.entries.empty()) return;
  const double size = layout.letters.size, line_height = kLineHeight * size;
  drawing.out.open("g", {{"class", "k-legend"}});
  for (const SvgLegendEntry& entry : layout.legend.entries) {
    const bool page = drawing.on_page() && !entry.of.rule;
    const double left = drawing.u(3) + entry.x;
    double y = layout.legend_top + entry.y + kAscent * size;
    drawing.out.open("g", {{"class", "k-entry"},
                           {"data-series", page ? drawing.chart.series[entry.of.index].name : ""}});
    draw_key(drawing, entry.of, left, y - 0.3 * size);
    for (const std::string& line : entry.lines) {
      draw_text(drawing, {.css = "k-label", .x = left + layout.legend.key, .y = y}, line);
      y += line_height;
    }
    drawing.out.close("g");
  }
  drawing.out.close("g");
}

}  // namespace kstar
