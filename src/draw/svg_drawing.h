#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "draw/look.h"
#include "draw/svg_layout.h"
#include "draw/svg_writer.h"
#include "kstar/svg.h"

/// The parts of a drawing, each written by a function of its own. Classes begin with k-.
namespace kstar {

struct SvgDrawing {
  const Chart& chart;
  const SvgStyle& style;
  const SvgLayout& layout;
  const std::vector<Look>& looks;  ///< of the series
  SvgWriter& out;

  bool on_page() const { return !style.id.empty(); }
  double u(double points) const { return points * layout.unit; }
  /// A tip, on a page: in a figure nobody can point at it.
  std::string_view tip(const std::string& text) const {
    return on_page() ? std::string_view(text) : std::string_view();
  }
};

/// One line of text: where it starts, is centred or ends.
struct SvgText {
  std::string_view css;
  double x = 0;
  double y = 0;  ///< the base line
  std::string_view anchor = "";
  std::string_view fill = "";
  bool upright = false;  ///< turned to read upwards
  bool small = false;
  bool bold = false;
};
void draw_text(const SvgDrawing& drawing, const SvgText& place, std::string_view text);

/// Lines that read upwards beside the plot, centred on it; the first has its base line there.
void draw_upright(const SvgDrawing& drawing, const std::vector<std::string>& lines, double base);

void draw_grid(const SvgDrawing& drawing);
void draw_axes(const SvgDrawing& drawing);
void draw_cells(const SvgDrawing& drawing);
void draw_color_scale(const SvgDrawing& drawing);
void draw_rules(const SvgDrawing& drawing);
void draw_bands(const SvgDrawing& drawing);
void draw_series(const SvgDrawing& drawing);
/// Names of series and rules above the plot and in the legend; those at line ends stand with their
/// series.
void draw_flags(const SvgDrawing& drawing);
void draw_legend(const SvgDrawing& drawing);
void draw_end_label(const SvgDrawing& drawing, const SvgEndLabel& label);

/// Of marks beside letters of 8 points; small ones; dots.
inline constexpr double kMarkRadius = 2.3;
inline constexpr double kSmallRadius = 1.5;
inline constexpr double kDotRadius = 1.1;
/// Whether its marks have a shape: where small ones are very many they are dots.
bool has_shapes(const Chart& chart, const ChartSeries& series);

/// The marks of one series, within its group.
void draw_marks(const SvgDrawing& drawing, const ChartSeries& series, const Look& look);
void draw_stack(const SvgDrawing& drawing, const ChartSeries& series, const Look& look);
/// The intervals of its parts, on top of all bars.
void draw_stack_ranges(const SvgDrawing& drawing, const ChartSeries& series);
/// How much of its colour a part of a stack has: neighbours differ, in grey, too.
double stack_strength(const Look& look);

}  // namespace kstar
