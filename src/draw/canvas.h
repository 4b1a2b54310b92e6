#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kstar/chart.h"

namespace kstar {

/// A grid of terminal cells to draw on. With Unicode a cell holds eight braille dots, so lines are
/// four times finer than characters; in ASCII it holds one character.
class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode);

  /// A line between two positions (0..1 from the lower left corner), clipped to the canvas. With
  /// `sparse` every third dot is drawn, so that it can be told from a full line without colour.
  void line(ChartPoint from, ChartPoint to, int color, char ascii, bool sparse);

  /// One character at a position; it covers dots, and is not drawn outside.
  void mark(ChartPoint at, int color, const std::string& glyph);

  /// The cell in which a position between 0 and 1 lies; rows are counted from the top.
  int column_of(double x) const;
  int row_of(double y) const;

  /// One row of cells from the top, with colour codes when asked for.
  std::string row(int index, bool color) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    int color = 0;
    std::string glyph;
  };

  void dot(double column, double row, int color, char ascii);
  Cell& cell(int column, int row);

  int columns_;
  int rows_;
  bool unicode_;
  std::vector<Cell> cells_;
};

/// The colour of what is not a curve: ideal lines and bounds.
inline constexpr int kReferenceColor = -1;

/// The text in one of the chart colours: 1 and up for curves, 0 is none.
std::string colored(const std::string& text, int color);

}  // namespace kstar
