#pragma once

#include <string>
#include <vector>

#include "draw/clip.h"
#include "draw/scale.h"
#include "draw/text_metrics.h"

/// Names that stand beside what they name.
namespace kstar {

/// Where the name of a line may stand.
enum class LineEnd { kNowhere, kRight, kTop };

/// What is named: a series or a rule of the chart.
struct SvgNamed {
  std::size_t index = 0;
  bool rule = false;
};

/// A name right of the plot, at the end of its line.
struct SvgEndLabel {
  SvgNamed of;
  std::vector<std::string> lines;
  double line_y = 0;  ///< where the line ends
  double y = 0;       ///< the middle of the name
};

/// A name above the plot, over its place on the x axis.
struct SvgFlag {
  SvgNamed of;
  std::string text;
  double at = 0;     ///< the place
  double left = 0;   ///< of the text
  int row = 0;       ///< 0 is nearest to the plot
  bool line = true;  ///< a line leads from the plot up to it
};

struct SvgLineEnd {
  LineEnd end = LineEnd::kNowhere;
  ChartPoint at;  ///< in shares of the axes
};

/// Where a series ends, in shares of the axes.
SvgLineEnd line_end_of(const ChartSeries& series, const ChartAxis& x, const ChartAxis& y);

/// Moves the labels as little as it takes for none to touch another, between top and bottom.
/// False, and nothing moved, when they cannot all fit.
bool push_apart(std::vector<SvgEndLabel>& labels, double line_height, double top, double bottom);

/// Gives every flag a place between left and right, in as few rows as possible, so that no text
/// touches another or is crossed by another's line. Returns the number of rows.
int raise_flags(std::vector<SvgFlag>& flags, const Face& face, double left, double right);

}  // namespace kstar
