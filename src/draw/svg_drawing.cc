#include "draw/svg_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/scale.h"

namespace kstar {

namespace {

/// Lines that read upwards beside the plot, centred on it; the first has its base line there.
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

constexpr double kPlaceRadius = 2.4;

/// Where a rule's interval lies beside its axis: those of several rules are one above the other.
double interval_lane(const SvgDrawing& drawing, const ChartRule& rule) {
  double lane = 0;
  for (const ChartRule& other : drawing.chart.rules) {
    if (&other == &rule) break;
    if (other.on_x == rule.on_x && other.low < other.high) ++lane;
  }
  return drawing.u(3.4 + 4.6 * lane);
}

/// The interval as a bar along its axis, with caps at ends that lie within the plot and arrows at
/// those that do not: over the plot it would hide what it is about.
void draw_interval(const SvgDrawing& drawing, const ChartRule& rule) {
  if (!(rule.low < rule.high)) return;
  const SvgLayout& layout = drawing.layout;
  const Box& plot = layout.plot;
  const Scale& scale = rule.on_x ? layout.x : layout.y;
  const double first = rule.on_x ? plot.left : plot.top;
  const double last = rule.on_x ? plot.right : plot.bottom;
  const double lane = interval_lane(drawing, rule), cap = drawing.u(1.7);
  SvgPath path;
  const auto add = [&](char command, double along, double off) {
    const double x = rule.on_x ? along : plot.left + lane + off;
    const double y = rule.on_x ? plot.bottom - lane + off : along;
    command == 'M' ? path.move(x, y) : path.line(x, y);
  };
  const double low = std::clamp(scale.at(rule.low), first, last);
  const double high = std::clamp(scale.at(rule.high), first, last);
  add('M', low, 0);
  add('L', high, 0);
  for (const double value : {rule.low, rule.high}) {
    const double at = scale.at(value), end = std::clamp(at, first, last);
    const double back = at == end ? 0 : end == last ? -cap : cap;
    add('M', end + back, -cap);
    add('L', end, 0);
    add('L', end + back, cap);
  }
  drawing.out.empty("path", {{"class", "k-rule-interval"},
                             {"d", path.text()},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(1.3)},
                             {"stroke-linejoin", "round"}});
  if (!std::isnan(rule.at)) return;
  SvgPath band;  // a place that is not known is somewhere in it
  rule.on_x ? band.move(low, plot.bottom - lane).line(high, plot.bottom - lane)
            : band.move(plot.left + lane, low).line(plot.left + lane, high);
  drawing.out.empty("path", {{"class", "k-rule-unknown"},
                             {"d", band.text()},
                             {"fill", "none"},
                             {"stroke-width", drawing.u(3.4)},
                             {"stroke-dasharray", "1 1.6"}});
}

void draw_line(const SvgDrawing& drawing, const ChartRule& rule, const Look& look) {
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
                             {"stroke-width", drawing.u(look.line)},
                             {"stroke-dasharray", look.dash}});
  // Its place on the axis can be seen, and pointed at.
  drawing.out.empty("path",
                    {{"class", "k-rule-place"},
                     {"d", mark_shape(rule.on_x ? 2 : 3, rule.on_x ? at : plot.left,
                                      rule.on_x ? plot.bottom : at, drawing.u(kPlaceRadius))},
                     {"fill", look.ink},
                     {"stroke", "none"}});
}

constexpr std::size_t kMostTips = 20'000;  ///< beyond it a page would be more tips than picture
constexpr int kScaleSteps = 64;

/// Of the scale beside the plot, from its bottom to its top.
std::string step_color(const ChartAxis& values, double share) {
  if (std::isnan(values.middle)) return scale_color(share);
  return cell_color(values, values.low + share * (values.high - values.low));
}

/// What is not known is crossed out: no colour could be told from those of the scale in grey.
void draw_cell(const SvgDrawing& drawing, const Box& box, double value, std::string_view tip) {
  if (std::isnan(value)) {
    SvgPath path;
    path.move(box.left, box.top).line(box.right, box.top).line(box.right, box.bottom);
    path.line(box.left, box.bottom).shut().line(box.right, box.bottom);
    drawing.out.empty("path", {{"class", "k-cell k-nothing"},
                               {"d", path.text()},
                               {"fill", kPaper},
                               {"stroke", kReferenceLine},
                               {"stroke-width", 0.4},
                               {"data-tip", tip}});
    return;
  }
  drawing.out.empty("rect", {{"class", "k-cell"},
                             {"x", box.left},
                             {"y", box.top},
                             {"width", box.width()},
                             {"height", box.height()},
                             {"fill", cell_color(drawing.layout.values.axis, value)},
                             {"data-tip", tip}});
}

}  // namespace

void draw_text(const SvgDrawing& drawing, const SvgText& place, std::string_view text) {
  const SvgLayout& layout = drawing.layout;
  const Face& face = place.bold ? layout.title_face : place.small ? layout.small : layout.letters;
  drawing.out.text(
      "text",
      {{"class", place.css},
       {"x", place.x},
       {"y", place.y},
       {"text-anchor", place.anchor},
       {"transform",
        place.upright ? fmt::format("rotate(-90 {} {})", coordinate(place.x), coordinate(place.y))
                      : ""},
       {"font-size", place.bold || place.small ? coordinate(face.size) : ""},
       {"font-weight", place.bold ? "bold" : ""},
       {"fill", place.fill}},
      text);
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

void draw_rules(const SvgDrawing& drawing) {
  for (const ChartRule& rule : drawing.chart.rules) {
    const Look look = rule_look_of(rule);
    drawing.out.open("g", {{"class", look.color < 0 ? "k-rule" : "k-rule " + look.color_class()},
                           {"stroke", look.ink},
                           {"data-rule", drawing.on_page() ? rule.key : ""},
                           {"data-tip", drawing.tip(rule.tip)}});
    draw_interval(drawing, rule);
    draw_line(drawing, rule, look);
    drawing.out.close("g");
  }
}

void draw_cells(const SvgDrawing& drawing) {
  const Chart& chart = drawing.chart;
  if (chart.cells.empty()) return;
  const SvgLayout& layout = drawing.layout;
  std::vector<double> xs, ys;
  for (const ChartCell& cell : chart.cells) xs.push_back(cell.x), ys.push_back(cell.y);
  const std::vector<Slot> columns = slots_of(std::move(xs), layout.x);
  const std::vector<Slot> rows = slots_of(std::move(ys), layout.y);
  // A hair of paper between cells, where they are large enough to be looked at one by one.
  const bool apart = layout.plot.width() / static_cast<double>(columns.size()) > drawing.u(6) &&
                     layout.plot.height() / static_cast<double>(rows.size()) > drawing.u(4);
  const double gap = apart ? drawing.u(0.25) : 0;
  drawing.out.open("g", {{"class", "k-cells"}});
  for (const ChartCell& cell : chart.cells) {
    if (!std::isfinite(cell.x) || !std::isfinite(cell.y)) continue;
    const Slot &column = slot_of(columns, cell.x), &row = slot_of(rows, cell.y);
    const double left = std::max(column.from, layout.plot.left) + gap;
    const double right = std::min(column.to, layout.plot.right) - gap;
    const double top = std::max(row.from, layout.plot.top) + gap;
    const double bottom = std::min(row.to, layout.plot.bottom) - gap;
    if (right <= left || bottom <= top) continue;
    const std::string_view tip = chart.cells.size() <= kMostTips ? drawing.tip(cell.tip) : "";
    draw_cell(drawing, {left, top, right, bottom}, cell.value, tip);
  }
  drawing.out.close("g");
}

void draw_color_scale(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  if (!layout.has_scale) return;
  const Box& box = layout.scale_box;
  drawing.out.open("g", {{"class", "k-scale"}});
  for (int i = kScaleSteps; i > 0; --i) {
    // Each one reaches down to the end, so that no seam shows between them.
    const double top = box.bottom - box.height() * i / kScaleSteps;
    drawing.out.empty("rect", {{"class", "k-scale-step"},
                               {"x", box.left},
                               {"y", top},
                               {"width", box.width()},
                               {"height", box.bottom - top},
                               {"fill", step_color(layout.values.axis, (i - 0.5) / kScaleSteps)}});
  }
  SvgPath ticks;
  for (const Tick& tick : layout.value_ticks) {
    ticks.move(box.right, layout.values.at(tick.value)).across(drawing.u(2));
  }
  drawing.out.empty("path", {{"class", "k-tick"},
                             {"d", ticks.text()},
                             {"fill", "none"},
                             {"stroke", kAxisColor},
                             {"stroke-width", 0.6}});
  for (const Tick& tick : layout.value_ticks) {
    draw_text(drawing,
              {.css = "k-number",
               .x = box.right + drawing.u(4),
               .y = layout.values.at(tick.value) + 0.35 * layout.letters.size},
              tick.label);
  }
  draw_upright(drawing, layout.values_label, layout.values_label_base);
  drawing.out.close("g");
}

}  // namespace kstar
