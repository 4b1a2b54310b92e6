#pragma once

#include <string>
#include <vector>

#include "draw/clip.h"
#include "draw/look.h"
#include "draw/scale.h"
#include "draw/svg_labels.h"
#include "draw/text_metrics.h"
#include "draw/ticks.h"
#include "kstar/svg.h"

namespace kstar {

/// Where everything goes, before anything is drawn.
struct SvgLayout {
  double width = 0;
  double height = 0;
  double unit = 1;  ///< what is 1 point beside letters of 8
  Face letters;
  Face title_face;
  Face small;

  std::vector<std::string> title;
  double title_base = 0;  ///< base line of its first line
  std::vector<std::string> caption;
  double caption_base = 0;

  Box plot;
  Scale x;
  Scale y;
  std::vector<Tick> x_ticks;
  std::vector<Tick> y_ticks;
  bool x_upright = false;  ///< the names on the x axis are turned
  std::string x_label;
  double x_label_base = 0;
  std::vector<std::string> y_label;  ///< its lines
  double y_label_base = 0;

  std::vector<SvgFlag> flags;     ///< above the plot
  std::vector<SvgEndLabel> ends;  ///< beside it
  SvgLegend legend;               ///< below it; its places are relative to legend_top
  double legend_top = 0;

  bool has_scale = false;  ///< of the cells' colours, beside the plot
  Box scale_box;
  Scale values;  ///< from the bottom of scale_box to its top
  std::vector<Tick> value_ticks;
  std::vector<std::string> values_label;
  double values_label_base = 0;
};

SvgLayout svg_layout(const Chart& chart, const SvgStyle& style);

}  // namespace kstar
