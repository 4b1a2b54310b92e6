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

/// What stands around and behind the series.
void draw_grid(const SvgDrawing& drawing);
void draw_axes(const SvgDrawing& drawing);
void draw_rules(const SvgDrawing& drawing);
void draw_cells(const SvgDrawing& drawing);
void draw_color_scale(const SvgDrawing& drawing);

}  // namespace kstar
