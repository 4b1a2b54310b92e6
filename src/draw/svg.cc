#include "kstar/svg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "draw/svg_drawing.h"
#include "draw/svg_names.h"
#include "draw/svg_series.h"

namespace kstar {

namespace {

constexpr std::string_view kFonts = "Liberation Sans, Arial, Helvetica, sans-serif";

void draw_texts(const SvgDrawing& drawing) {
  const SvgLayout& layout = drawing.layout;
  double y = layout.title_base;
  for (const std::string& line : layout.title) {
    draw_text(drawing, {.css = "k-title", .x = drawing.u(3), .y = y, .bold = true}, line);
    y += kLineHeight * layout.title_face.size;
  }
  y = layout.caption_base;
  for (const std::string& line : layout.caption) {
    draw_text(drawing,
              {.css = "k-caption", .x = drawing.u(3), .y = y, .fill = kFaintInk, .small = true},
              line);
    y += kLineHeight * layout.small.size;
  }
}

/// For who cannot see it.
void describe(const SvgDrawing& drawing) {
  const std::string& id = drawing.style.id;
  const auto own_id = [&](const char* what) { return id.empty() ? "" : id + what; };
  const Chart& chart = drawing.chart;
  drawing.out.text("title", {{"id", own_id("-title")}},
                   chart.title.empty() ? "chart" : chart.title);
  if (!chart.summary.empty()) drawing.out.text("desc", {{"id", own_id("-desc")}}, chart.summary);
}

void draw_all(const SvgDrawing& drawing) {
  draw_grid(drawing);
  draw_cells(drawing);
  draw_rules(drawing);
  draw_bands(drawing);
  draw_series(drawing);
  draw_axes(drawing);
  draw_color_scale(drawing);
  draw_flags(drawing);
  draw_legend(drawing);
  draw_texts(drawing);
}

/// "39.2 290.1 1 64 log": where the ends of an axis lie, its ends, its scale.
std::string scale_text(const Scale& scale) {
  return fmt::format("{} {} {} {} {}", coordinate(scale.start), coordinate(scale.end),
                     shortest(scale.axis.low), shortest(scale.axis.high),
                     scale.axis.log ? "log" : "linear");
}

/// The K of the places of an axis that has names.
std::string named_workers(const ChartAxis& axis) {
  return fmt::format("{}", fmt::join(axis.name_workers, " "));
}

}  // namespace

std::string to_svg(const Chart& chart, const SvgStyle& style) {
  const SvgLayout layout = svg_layout(chart, style);
  const std::vector<Look> looks = svg_looks_of(chart);
  SvgWriter out;
  const SvgDrawing drawing{chart, style, layout, looks, out};
  const std::string& id = style.id;
  const bool page = drawing.on_page();
  const std::string width = coordinate(layout.width), height = coordinate(layout.height);
  out.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", chart.kind.empty() ? "k-chart" : "k-chart k-kind-" + chart.kind},
                   {"id", id},
                   {"width", width + "pt"},
                   {"height", height + "pt"},
                   {"viewBox", "0 0 " + width + " " + height},
                   {"role", "img"},
                   {"aria-labelledby", id.empty() ? "" : id + "-title"},
                   {"aria-describedby", id.empty() || chart.summary.empty() ? "" : id + "-desc"},
                   {"data-across", page ? scale_text(layout.x) : ""},
                   {"data-up", page ? scale_text(layout.y) : ""},
                   {"data-workers", !page             ? ""
                                    : chart.x.workers ? "x"
                                    : chart.y.workers ? "y"
                                                      : ""},
                   {"data-names", page ? named_workers(chart.x.workers ? chart.x : chart.y) : ""},
                   {"font-family", kFonts},
                   {"font-size", layout.letters.size},
                   {"fill", kInk}});
  describe(drawing);
  out.empty("rect", {{"class", "k-paper"}, {"width", width}, {"height", height}, {"fill", kPaper}});
  draw_all(drawing);
  out.close("svg");
  return out.take();
}

}  // namespace kstar
