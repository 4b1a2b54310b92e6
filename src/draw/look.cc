#include "draw/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "draw/svg_writer.h"

namespace kstar {

namespace {

struct Color {
  std::string_view ink, letters;
};

/// Okabe and Ito, Color Universal Design, 2008. Orange, sky blue and yellow are darkened to 3:1 on
/// white, and all of them to 4.5:1 where they are letters.
constexpr std::array<Color, 8> kPalette = {{{"#0072b2", "#0072b2"},
                                            {"#d55e00", "#c05500"},
                                            {"#009e73", "#008561"},
                                            {"#cc79a7", "#a26085"},
                                            {"#333333", "#333333"},
                                            {"#c48800", "#9c6c00"},
                                            {"#4a9bc9", "#3b7ba0"},
                                            {"#9e962c", "#7e7723"}}};

/// A second series of one colour, and those beyond the palette, are told apart by these.
constexpr std::array<std::string_view, 4> kDashes = {"", "6 2", "2 1.5", "7 2 1.5 2"};

/// viridis (van der Walt and Smith 2015), every sixteenth.
constexpr std::array<std::array<double, 3>, 17> kViridis = {{{68, 1, 84},
                                                             {72, 26, 108},
                                                             {71, 47, 125},
                                                             {65, 68, 135},
                                                             {57, 86, 140},
                                                             {49, 104, 142},
                                                             {42, 120, 142},
                                                             {35, 136, 142},
                                                             {31, 152, 139},
                                                             {34, 168, 132},
                                                             {53, 183, 121},
                                                             {84, 197, 104},
                                                             {122, 209, 81},
                                                             {165, 219, 54},
                                                             {210, 226, 27},
                                                             {236, 229, 27},
                                                             {253, 231, 37}}};

Look reference_look(const ChartSeries& series) {
  const bool ideal = series.role == SeriesRole::kIdeal;
  Look look;
  look.ink = kReferenceLine;
  look.letters = kFaintInk;
  look.dash = ideal ? "3 2" : "1 1.6";
  look.line = ideal ? 0.7 : 0.9;
  return look;
}

/// A colour for every series that has none of its own, beside those that are taken.
std::vector<int> colors_of(const Chart& chart) {
  std::set<int> taken;
  for (const ChartSeries& series : chart.series) taken.insert(series.color);
  std::vector<int> colors;
  int next = 0;
  for (const ChartSeries& series : chart.series) {
    if (is_reference(series) || series.color >= 0) {
      colors.push_back(is_reference(series) ? -1 : series.color);
      continue;
    }
    while (taken.contains(next)) ++next;
    colors.push_back(next++);
  }
  return colors;
}

}  // namespace

std::string Look::color_class() const {
  return color < 0 ? "k-reference"
                   : fmt::format("k-c{}", color % static_cast<int>(kPalette.size()));
}

std::vector<Look> svg_looks_of(const Chart& chart) {
  const std::vector<int> colors = colors_of(chart);
  std::vector<Look> looks;
  std::vector<int> lines, marks;  // of the colours that were drawn with them before
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (colors[i] < 0) {
      looks.push_back(reference_look(series));
      continue;
    }
    const auto color = static_cast<std::size_t>(colors[i]);
    Look look;
    look.color = colors[i];
    look.ink = kPalette[color % kPalette.size()].ink;
    look.letters = kPalette[color % kPalette.size()].letters;
    look.line = series.small ? 0.7 : 1.3;
    look.shape = colors[i];
    // Neighbours in the palette differ in their dash, too: in grey they are of one shade.
    std::size_t dash = color % kDashes.size();
    if (series.role == SeriesRole::kPredicted) dash = dash == 2 ? 1 : 2;
    if (!series.line.empty()) {
      dash += static_cast<std::size_t>(std::count(lines.begin(), lines.end(), colors[i]));
      lines.push_back(colors[i]);
    }
    look.dash = kDashes[dash % kDashes.size()];
    if (!series.marks.empty()) {
      look.hollow = series.role == SeriesRole::kPredicted ||
                    std::find(marks.begin(), marks.end(), colors[i]) != marks.end();
      marks.push_back(colors[i]);
    }
    looks.push_back(look);
  }
  return looks;
}

std::string mark_shape(int shape, double x, double y, double radius) {
  SvgPath path;
  const double r = radius;
  switch (shape % 6) {
    case 0: {  // a circle, of two arcs
      const std::string size = coordinate(r);
      const std::string arc = "a" + size + " " + size + " 0 1 0 ";
      return path.move(x - r, y).text() + arc + coordinate(2 * r) + " 0" + arc +
             coordinate(-2 * r) + " 0Z";
    }
    case 1:
      return path.move(x - 0.88 * r, y - 0.88 * r)
          .across(1.76 * r)
          .down(1.76 * r)
          .across(-1.76 * r)
          .shut()
          .text();
    case 2:
      return path.move(x, y - 1.25 * r)
          .line(x + 1.15 * r, y + 0.8 * r)
          .line(x - 1.15 * r, y + 0.8 * r)
          .shut()
          .text();
    case 3:
      return path.move(x, y - 1.3 * r)
          .line(x + 1.3 * r, y)
          .line(x, y + 1.3 * r)
          .line(x - 1.3 * r, y)
          .shut()
          .text();
    case 4:
      return path.move(x, y + 1.25 * r)
          .line(x + 1.15 * r, y - 0.8 * r)
          .line(x - 1.15 * r, y - 0.8 * r)
          .shut()
          .text();
    default: {  // a cross
      const double a = 0.4 * r, b = 1.15 * r;
      return path.move(x - a, y - b)
          .across(2 * a)
          .down(b - a)
          .across(b - a)
          .down(2 * a)
          .across(a - b)
          .down(b - a)
          .across(-2 * a)
          .down(a - b)
          .across(a - b)
          .down(-2 * a)
          .across(b - a)
          .shut()
          .text();
    }
  }
}

std::string scale_color(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kViridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  const double part = place - static_cast<double>(below);
  std::array<int, 3> rgb{};
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    rgb[i] = static_cast<int>(
        std::lround(kViridis[below][i] + part * (kViridis[below + 1][i] - kViridis[below][i])));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace kstar
