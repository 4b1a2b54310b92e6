#pragma once

#include <vector>

#include "kstar/chart.h"

/// Lines and areas within a rectangle. Cutting them here rather than by a clip path keeps the
/// drawing free of ids, and the same in every program that shows it.
namespace kstar {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool holds(double x, double y) const {
    return x >= left && x <= right && y >= top && y <= bottom;
  }
};

/// The pieces of a line through the points that lie within. A point that is NaN interrupts it.
std::vector<std::vector<ChartPoint>> clip_line(const std::vector<ChartPoint>& points,
                                               const Box& box);

/// The part of an area that lies within; empty where nothing does.
std::vector<ChartPoint> clip_area(std::vector<ChartPoint> corners, const Box& box);

}  // namespace kstar
