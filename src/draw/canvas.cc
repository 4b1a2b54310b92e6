#include "draw/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kstar {

namespace {

constexpr int kDotColumns = 2;
constexpr int kDotRows = 4;

/// Bit of the braille pattern for a dot, by column and row within the cell (Unicode 13.0, 2800).
constexpr std::array<std::array<std::uint8_t, kDotRows>, kDotColumns> kBrailleBits = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string braille(std::uint8_t dots) {
  const auto code = static_cast<unsigned>(0x2800 + dots);
  return {static_cast<char>(0xE0U | (code >> 12U)),
          static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

/// Keeps of the line from + t (to - from), 0 <= t <= 1, what has 0 <= from + t (to - from) <= 1 in
/// one coordinate. Liang and Barsky, A new concept and method for line clipping, 1984.
void clip(double from, double to, double& t_low, double& t_high) {
  const double change = to - from;
  if (change == 0) {
    if (from < 0 || from > 1) t_high = -1;
    return;
  }
  const double a = (0 - from) / change, b = (1 - from) / change;
  t_low = std::max(t_low, std::min(a, b));
  t_high = std::min(t_high, std::max(a, b));
}

}  // namespace

std::string colored(const std::string& text, int color) {
  // Colours that can be told apart on dark and light grounds, and by colour-blind readers.
  constexpr std::array<int, 5> kCurves = {33, 208, 35, 162, 141};
  constexpr int kGrey = 245;
  if (color == 0) return text;
  const std::size_t index = static_cast<std::size_t>(color - 1) % kCurves.size();
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", color == kReferenceColor ? kGrey : kCurves[index],
                     text);
}

Canvas::Canvas(int columns, int rows, bool unicode)
    : columns_(columns),
      rows_(rows),
      unicode_(unicode),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

Canvas::Cell& Canvas::cell(int column, int row) {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(column)];
}

void Canvas::dot(double column, double row, int color, char ascii) {
  const int x = static_cast<int>(std::lround(column)), y = static_cast<int>(std::lround(row));
  const int per_column = unicode_ ? kDotColumns : 1, per_row = unicode_ ? kDotRows : 1;
  if (x < 0 || y < 0 || x >= columns_ * per_column || y >= rows_ * per_row) return;
  Cell& hit = cell(x / per_column, y / per_row);
  hit.color = color;
  if (unicode_) {
    hit.dots =
        static_cast<std::uint8_t>(hit.dots | kBrailleBits[static_cast<std::size_t>(x % per_column)]
                                                         [static_cast<std::size_t>(y % per_row)]);
  } else {
    hit.glyph = ascii;
  }
}

void Canvas::line(ChartPoint from, ChartPoint to, int color, char ascii, bool sparse) {
  const double width = columns_ * (unicode_ ? kDotColumns : 1) - 1;
  const double height = rows_ * (unicode_ ? kDotRows : 1) - 1;
  if (!std::isfinite(to.x - from.x) || !std::isfinite(to.y - from.y)) return;
  double t_low = 0, t_high = 1;
  clip(from.x, to.x, t_low, t_high);
  clip(from.y, to.y, t_low, t_high);
  if (t_low > t_high) return;
  const double start_x = (from.x + t_low * (to.x - from.x)) * width;
  const double start_y = (from.y + t_low * (to.y - from.y)) * height;
  const double dx = (t_high - t_low) * (to.x - from.x) * width;
  const double dy = (t_high - t_low) * (to.y - from.y) * height;
  const double steps = std::max(1.0, std::ceil(std::max(std::fabs(dx), std::fabs(dy))));
  for (double i = 0; i <= steps; ++i) {
    const double x = start_x + dx * i / steps;
    const double y = height - (start_y + dy * i / steps);
    if (sparse && std::lround(std::fabs(dx) > std::fabs(dy) ? x : y) % 3 != 0) continue;
    dot(x, y, color, ascii);
  }
}

void Canvas::mark(ChartPoint at, int color, const std::string& glyph) {
  if (!(at.x >= 0 && at.x <= 1 && at.y >= 0 && at.y <= 1)) return;
  // The cell of the dot that a line through the same point would draw.
  Cell& hit = cell(column_of(at.x), row_of(at.y));
  hit.glyph = glyph;
  hit.color = color;
}

int Canvas::column_of(double x) const {
  const int per_column = unicode_ ? kDotColumns : 1;
  return static_cast<int>(std::lround(x * (columns_ * per_column - 1))) / per_column;
}

int Canvas::row_of(double y) const {
  const int per_row = unicode_ ? kDotRows : 1;
  return static_cast<int>(std::lround((1 - y) * (rows_ * per_row - 1))) / per_row;
}

std::string Canvas::row(int index, bool color) const {
  std::string text;
  for (int column = 0; column < columns_; ++column) {
    const Cell& at = cells_[static_cast<std::size_t>(index) * static_cast<std::size_t>(columns_) +
                            static_cast<std::size_t>(column)];
    std::string glyph = !at.glyph.empty() ? at.glyph : at.dots != 0 ? braille(at.dots) : " ";
    const bool blank = glyph == " ";
    text += color && !blank ? colored(glyph, at.color) : glyph;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace kstar
