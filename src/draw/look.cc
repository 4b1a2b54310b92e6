#include "draw/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "draw/scale.h"
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
constexpr std::array<std::string_view, 7> kDashes = {
    "", "6 2", "2 1.5", "7 2 1.5 2", "1 1", "9 3", "5 1.5 1 1.5 1 1.5"};

constexpr std::size_t kPlainDashes = 4;  ///< of them, those that neighbours have
constexpr std::size_t kShapes = 6;       ///< of mark_shape()

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

/// RdBu of ColorBrewer (Brewer 2002), turned round: blue is less, red is more. Safe for
/// colour-blind readers; in grey both sides are darker than the middle.
constexpr std::array<std::array<double, 3>, 9> kTwoSided = {{{33, 102, 172},
                                                             {67, 147, 195},
                                                             {146, 197, 222},
                                                             {209, 229, 240},
                                                             {247, 247, 247},
                                                             {253, 219, 199},
                                                             {244, 165, 130},
                                                             {214, 96, 77},
                                                             {178, 24, 43}}};

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

namespace {

/// What was drawn before, so that nothing is drawn alike.
struct TakenLooks {
  std::set<std::pair<std::size_t, std::size_t>> lines;         // colour and dash
  std::set<std::tuple<std::size_t, std::size_t, bool>> marks;  // colour, shape, hollow
};

/// The first dash from `dash` on that no line of this colour has; where all are taken, that one.
std::size_t free_dash(std::size_t color, std::size_t dash, TakenLooks& taken) {
  for (std::size_t i = 0; i < kDashes.size(); ++i) {
    const std::size_t one = (dash + i) % kDashes.size();
    if (taken.lines.emplace(color, one).second) return one;
  }
  return dash % kDashes.size();
}

/// Hollow ones of the same shape first: a second series of one colour belongs to the first.
void choose_mark(std::size_t color, TakenLooks& taken, Look& look) {
  for (std::size_t i = 0; i < kShapes; ++i) {
    const std::size_t shape = (static_cast<std::size_t>(look.shape) + i) % kShapes;
    for (const bool hollow : {look.hollow, true}) {
      if (!taken.marks.emplace(color, shape, hollow).second) continue;
      look.shape = static_cast<int>(shape);
      look.hollow = hollow;
      return;
    }
  }
}

}  // namespace

std::vector<Look> svg_looks_of(const Chart& chart) {
  const std::vector<int> colors = colors_of(chart);
  std::vector<Look> looks;
  TakenLooks taken;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (colors[i] < 0) {
      looks.push_back(reference_look(series));
      continue;
    }
    const auto number = static_cast<std::size_t>(colors[i]), color = number % kPalette.size();
    Look look;
    look.color = colors[i];
    look.ink = kPalette[color].ink;
    look.letters = kPalette[color].letters;
    look.line = series.small ? 0.7 : 1.3;
    look.shape = static_cast<int>(number % kShapes);
    look.hollow = series.role == SeriesRole::kPredicted;
    // Neighbours in the palette differ in their dash, too: in grey they are of one shade.
    std::size_t dash = number % kPlainDashes;
    if (series.role == SeriesRole::kPredicted) dash = dash == 2 ? 1 : 2;
    if (!series.line.empty()) look.dash = kDashes[free_dash(color, dash, taken)];
    if (!series.marks.empty()) choose_mark(color, taken, look);
    looks.push_back(look);
  }
  return looks;
}

std::string_view palette_ink(int color) {
  return kPalette[static_cast<std::size_t>(color) % kPalette.size()].ink;
}

Look rule_look_of(const ChartRule& rule) {
  Look look = {.color = -1, .ink = kAxisColor, .letters = kInk, .line = 0.8};
  look.dash = !rule.on_x ? "4 2" : rule.dashed ? "2.5 1.5" : "";
  if (rule.color < 0) return look;
  look.color = rule.color;
  look.ink = palette_ink(rule.color);
  look.letters = kPalette[static_cast<std::size_t>(rule.color) % kPalette.size()].letters;
  return look;
}

std::string mark_shape(int shape, double x, double y, double radius) {
  SvgPath path;
  const double r = radius;
  switch (shape % static_cast<int>(kShapes)) {
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

namespace {

/// Between the two nearest of some colours, evenly spaced from 0 to 1.
template <std::size_t kCount>
std::string blended(const std::array<std::array<double, 3>, kCount>& colors, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kCount - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kCount - 2);
  const double part = place - static_cast<double>(below);
  std::array<int, 3> rgb{};
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    rgb[i] = static_cast<int>(
        std::lround(colors[below][i] + part * (colors[below + 1][i] - colors[below][i])));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace

std::string scale_color(double share) {
  return blended(kViridis, share);
}

std::string two_sided_color(double share) {
  return blended(kTwoSided, share);
}

std::string cell_color(const ChartAxis& values, double value) {
  if (std::isnan(values.middle)) return scale_color(Scale{values, 0, 1}.at(value));
  const double reach = std::max(values.high - values.middle, values.middle - values.low);
  return two_sided_color(reach > 0 ? 0.5 + (value - values.middle) / (2 * reach) : 0.5);
}

}  // namespace kstar
