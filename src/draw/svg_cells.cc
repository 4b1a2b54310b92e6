#include <algorithm>
#include <cmath>

#include "draw/slots.h"
#include "draw/svg_drawing.h"

namespace kstar {

namespace {

constexpr std::size_t kMostTips = 20'000;  ///< beyond it a page would be more tips than picture
constexpr int kScaleSteps = 64;

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
  drawing.out.empty("rect",
                    {{"class", "k-cell"},
                     {"x", box.left},
                     {"y", box.top},
                     {"width", box.width()},
                     {"height", box.height()},
                     {"fill", scale_color(Scale{drawing.layout.values.axis, 0, 1}.at(value))},
                     {"data-tip", tip}});
}

}  // namespace

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
                               {"fill", scale_color((i - 0.5) / kScaleSteps)}});
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
