#pragma once

#include <string>
#include <vector>

#include "draw/svg_labels.h"
#include "draw/text_metrics.h"

namespace kstar {

/// How wide samples are beside letters of 8 points.
inline constexpr double kLineKey = 17;
inline constexpr double kBoxKey = 6;

/// One name with a sample of how it is drawn left of it.
struct SvgLegendEntry {
  SvgNamed of;
  std::vector<std::string> lines;
  double x = 0;  ///< left of the sample
  double y = 0;  ///< top of the first line
};

struct SvgLegend {
  std::vector<SvgLegendEntry> entries;
  double height = 0;
  double key = 0;  ///< how wide a sample is, with the gap behind it
};

/// In one row where they fit, else in columns; a name that is wider than the drawing is wrapped.
/// `key` is how wide a sample is.
SvgLegend lay_out_legend(const std::vector<SvgNamed>& named, const std::vector<std::string>& names,
                         double key, const Face& face, double width);

}  // namespace kstar
