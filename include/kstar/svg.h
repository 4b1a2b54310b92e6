#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/chart.h"
#include "kstar/export.h"
#include "kstar/result.h"

/// A Chart as a picture. There is one drawing, in SVG; PNG and PDF are made from it.
namespace kstar {

/// Lengths in points (1/72 inch).
struct SvgStyle {
  double width = 252;  ///< one column of a paper; two are kTwoColumns
  double height = 0;   ///< 0: what suits the width and the chart
  double font = 8;     ///< of the labels
  bool title = true;   ///< with title and caption: a page has its own
  /// For a page: every series is a group that can be switched off, every value has a tip, and the
  /// drawing's ids begin with this. "" for a figure that stands alone.
  std::string id;
  std::optional<bool> log_x;  ///< another scale than the chart's own, where the axis allows it
  std::optional<bool> log_y;
};
inline constexpr double kOneColumn = 252;
inline constexpr double kTwoColumns = 516;

/// The same Chart and style give the same bytes. Everything is an attribute (no style sheet, no
/// style attribute), and everything has a class, so that a page's style can override it.
KSTAR_EXPORT std::string to_svg(const Chart& chart, const SvgStyle& style = {});

/// By librsvg. Where kstar was built without it they fail, and say so.
KSTAR_EXPORT Result<std::string> to_png(std::string_view svg, double dots_per_inch = 300);
KSTAR_EXPORT Result<std::string> to_pdf(std::string_view svg);

}  // namespace kstar
