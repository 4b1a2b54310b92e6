#pragma once

#include <vector>

#include "draw/svg_labels.h"
#include "draw/text_metrics.h"
#include "kstar/chart.h"

namespace kstar {

/// Which name stands where. Their places are in shares of the axes yet.
struct SvgNaming {
  std::vector<SvgFlag> flags;
  std::vector<SvgEndLabel> ends;
  std::vector<SvgNamed> legend;
};

/// What there is room for beside the plot.
struct NamingRoom {
  Face face;
  double width = 0;
  double height = 0;
};

const std::string& name_of(const Chart& chart, const SvgNamed& of);

/// Beside the lines where every name can stand there whole and be told from the others, else all
/// in a legend. Rules on x have flags in any case.
SvgNaming choose_names(const Chart& chart, const ChartAxis& x, const ChartAxis& y,
                       const NamingRoom& room);

}  // namespace kstar
