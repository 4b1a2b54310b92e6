#include "draw/canvas.h"

#include <gtest/gtest.h>

#include <limits>

namespace kstar {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<std::string> rows(const Canvas& canvas, int count, bool color = false) {
  std::vector<std::string> list;
  for (int i = 0; i < count; ++i) list.push_back(canvas.row(i, color));
  return list;
}

using Rows = std::vector<std::string>;

TEST(Canvas, StartsEmpty) {
  EXPECT_EQ(rows(Canvas(5, 2, true), 2), (Rows{"", ""}));
  EXPECT_EQ(rows(Canvas(5, 2, false), 2), (Rows{"", ""}));
}

TEST(Canvas, DrawsADiagonalFromTheLowerLeftCorner) {
  Canvas ascii(4, 4, false);
  ascii.line({0, 0}, {1, 1}, 0, '*', false);
  EXPECT_EQ(rows(ascii, 4), (Rows{"   *", "  *", " *", "*"}));
  Canvas braille(2, 1, true);
  braille.line({0, 0}, {1, 1}, 0, '*', false);
  EXPECT_EQ(rows(braille, 1), (Rows{"⡠⠊"}));
}

TEST(Canvas, DrawsTheSameLineInBothDirections) {
  for (const bool unicode : {false, true}) {
    Canvas there(30, 10, unicode), back(30, 10, unicode);
    there.line({0.25, 0.5}, {0.75, 0.5}, 0, '*', false);
    back.line({0.75, 0.5}, {0.25, 0.5}, 0, '*', false);
    EXPECT_EQ(rows(there, 10), rows(back, 10));
  }
}

TEST(Canvas, ALineThatLeavesItIsDrawnUpToItsEdgeHoweverFarItGoes) {
  for (const double far : {2.0, 1e3, 1e9, 1e15}) {
    Canvas canvas(8, 4, false);
    canvas.line({0, 0.5}, {far, 0.5}, 0, '*', false);
    EXPECT_EQ(rows(canvas, 4), (Rows{"", "", "********", ""})) << far;
    Canvas from_below(8, 4, false);
    from_below.line({0.5, -far}, {0.5, 1 + far}, 0, '|', false);
    EXPECT_EQ(rows(from_below, 4), (Rows{"    |", "    |", "    |", "    |"})) << far;
  }
}

TEST(Canvas, ALineThatPassesByLeavesNothing) {
  for (const bool unicode : {false, true}) {
    Canvas canvas(8, 4, unicode);
    canvas.line({-2, 0.5}, {-1, 0.5}, 0, '*', false);
    canvas.line({0, 1.5}, {1, 1.5}, 0, '*', false);
    canvas.line({0.9, 2}, {2, 0.9}, 0, '*', false);
    canvas.line({5e9, 0}, {5e9, 1}, 0, '*', false);
    EXPECT_EQ(rows(canvas, 4), (Rows{"", "", "", ""}));
  }
}

TEST(Canvas, ALineOfOnePointIsADot) {
  Canvas canvas(3, 3, false);
  canvas.line({0.5, 0.5}, {0.5, 0.5}, 0, '*', false);
  EXPECT_EQ(rows(canvas, 3), (Rows{"", " *", ""}));
}

TEST(Canvas, ASparseLineHasEveryThirdDot) {
  Canvas canvas(9, 1, false);
  canvas.line({0, 0}, {1, 0}, 0, '.', true);
  EXPECT_EQ(canvas.row(0, false), ".  .  .");
}

TEST(Canvas, MarksReachTheCorners) {
  for (const bool unicode : {false, true}) {
    Canvas canvas(3, 2, unicode);
    canvas.mark({0, 1}, 0, "a");
    canvas.mark({1, 1}, 0, "b");
    canvas.mark({0, 0}, 0, "c");
    canvas.mark({1, 0}, 0, "d");
    EXPECT_EQ(rows(canvas, 2), (Rows{"a b", "c d"}));
  }
}

TEST(Canvas, AMarkLiesOnTheLineThroughIt) {
  // Whatever the position, the mark must cover the dot that a line draws there.
  for (int i = 0; i <= 100; ++i) {
    const ChartPoint at{i / 100.0, 1 - i / 100.0};
    Canvas canvas(7, 5, true), marked(7, 5, true);
    canvas.line(at, at, 0, '*', false);
    marked.line(at, at, 0, '*', false);
    marked.mark(at, 0, "●");
    std::string drawn, covered;
    for (const std::string& row : rows(canvas, 5)) drawn += row + "\n";
    for (const std::string& row : rows(marked, 5)) covered += row + "\n";
    EXPECT_EQ(drawn.size(), covered.size()) << i << "\n" << covered;
  }
}

TEST(Canvas, MarksOutsideAreNotDrawn) {
  Canvas canvas(3, 2, true);
  canvas.mark({-0.01, 0.5}, 0, "x");
  canvas.mark({0.5, 1.01}, 0, "x");
  EXPECT_EQ(rows(canvas, 2), (Rows{"", ""}));
}

TEST(Canvas, PointsThatAreNoNumbersLeaveNothing) {
  for (const bool unicode : {false, true}) {
    Canvas canvas(8, 4, unicode);
    for (const double bad : {kNan, kInf, -kInf}) {
      canvas.line({bad, 0}, {1, 1}, 0, '*', false);
      canvas.line({0, 0}, {1, bad}, 0, '*', false);
      canvas.line({bad, bad}, {bad, bad}, 0, '*', false);
      canvas.mark({bad, 0.5}, 0, "x");
      canvas.mark({0.5, bad}, 0, "x");
    }
    const double huge = std::numeric_limits<double>::max();
    canvas.line({-huge, 2}, {huge, 3}, 0, '*', false);
    EXPECT_EQ(rows(canvas, 4), (Rows{"", "", "", ""}));
  }
}

TEST(Canvas, ColoursOnlyWhatIsDrawnAndOnlyWhenAsked) {
  Canvas canvas(3, 1, false);
  canvas.mark({0.5, 0.5}, 1, "x");
  EXPECT_EQ(canvas.row(0, false), " x");
  EXPECT_EQ(canvas.row(0, true), " " + colored("x", 1));
  EXPECT_NE(colored("x", 1), colored("x", 2));
  EXPECT_EQ(colored("x", 0), "x");
}

TEST(Canvas, OfOneCellHoldsEverything) {
  Canvas canvas(1, 1, false);
  canvas.line({0, 0}, {1, 1}, 0, '*', false);
  EXPECT_EQ(canvas.row(0, false), "*");
}

}  // namespace
}  // namespace kstar
