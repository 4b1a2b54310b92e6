#pragma once

#include <string>
#include <vector>

#include "draw/clip.h"
#include "draw/scale.h"
#include "draw/text_metrics.h"
#include "kstar/chart.h"

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
