#include "draw/svg_legend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kstar {

namespace {

constexpr std::size_t kMostLines = 3;

void place_in_columns(std::vector<SvgLegendEntry>& entries, std::size_t columns, double step,
                      double line_height, double& y) {
  for (std::size_t i = 0; i < entries.size(); i += columns) {
    std::size_t tallest = 1;
    for (std::size_t j = i; j < std::min(i + columns, entries.size()); ++j) {
      entries[j].x = static_cast<double>(j - i) * step;
      entries[j].y = y;
      tallest = std::max(tallest, entries[j].lines.size());
    }
    y += static_cast<double>(tallest) * line_height;
  }
}

}  // namespace

SvgLegend lay_out_legend(const std::vector<SvgNamed>& named, const std::vector<std::string>& names,
                         double key, const Face& face, double width) {
  SvgLegend legend;
  if (named.empty()) return legend;
  const double gap = 1.5 * face.size, line_height = kLineHeight * face.size;
  legend.key = key + 0.5 * face.size;
  std::vector<double> widths;
  for (std::size_t i = 0; i < named.size(); ++i) {
    legend.entries.push_back(
        {named[i], wrap_to(names[i], width - legend.key, face, kMostLines), 0, 0});
    double widest = 0;
    for (const std::string& line : legend.entries.back().lines) {
      widest = std::max(widest, text_width(line, face));
    }
    widths.push_back(legend.key + widest);
  }
  const double row = std::accumulate(widths.begin(), widths.end(), 0.0) +
                     gap * static_cast<double>(widths.size() - 1);
  double y = 0;
  if (row <= width) {
    place_in_columns(legend.entries, legend.entries.size(), 0, line_height, y);
    double x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      legend.entries[i].x = x;
      x += widths[i] + gap;
    }
  } else {
    const double step = *std::max_element(widths.begin(), widths.end()) + gap;
    const auto most = static_cast<std::size_t>(std::max(1.0, std::floor((width + gap) / step)));
    // As many in the last row as in the others, more or less.
    const std::size_t rows = (widths.size() + most - 1) / most;
    const std::size_t columns = (widths.size() + rows - 1) / rows;
    place_in_columns(legend.entries, columns, step, line_height, y);
  }
  legend.height = y;
  return legend;
}

}  // namespace kstar
