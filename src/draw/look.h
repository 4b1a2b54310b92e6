#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/chart.h"

/// What things look like: colours that colour-blind readers can tell apart, and shapes and dashes
/// that can be told apart in grey.
namespace kstar {

inline constexpr std::string_view kPaper = "#fff";
inline constexpr std::string_view kInk = "#222";
inline constexpr std::string_view kFaintInk = "#555";
inline constexpr std::string_view kAxisColor = "#444";
inline constexpr std::string_view kGridColor = "#e4e4e4";
inline constexpr std::string_view kReferenceLine = "#777";

/// How one series looks.
struct Look {
  int color = -1;            ///< of the palette; -1: a reference line, grey
  std::string_view ink;      ///< its lines and marks: 3:1 on white
  std::string_view letters;  ///< its name: 4.5:1 on white
  std::string_view dash;     ///< "" for a full line
  double line = 1;           ///< how thick
  int shape = 0;             ///< of its marks
  bool hollow = false;
  double shift =
      0;  ///< of its marks, aside: bars of several series at one place would hide each other

  std::string color_class() const;  ///< k-c0, k-c1 ..., k-reference
};

/// The ink of that colour of the palette.
std::string_view palette_ink(int color);

/// It stands for what others are held against.
inline bool is_reference(const ChartSeries& series) {
  return series.role == SeriesRole::kIdeal || series.role == SeriesRole::kBound;
}

/// No two series share colour and dash of their lines, or colour and shape of their marks.
std::vector<Look> svg_looks_of(const Chart& chart);

/// A rule's: that of its series' colour, or that of the axes.
Look rule_look_of(const ChartRule& rule);

/// A mark of that shape around a place, as the d of a path. Shapes look about equally large.
std::string mark_shape(int shape, double x, double y, double radius);

/// A colour between dark (0) and light (1), perceived as evenly spaced and in order, in grey, too.
std::string scale_color(double share);

/// The same where values have two sides: from blue (0) over nearly white (0.5) to red (1).
std::string two_sided_color(double share);

/// Of a cell with that value: two-sided where the axis has a middle, and then as far from its
/// middle on either side for the same difference.
std::string cell_color(const ChartAxis& values, double value);

}  // namespace kstar
