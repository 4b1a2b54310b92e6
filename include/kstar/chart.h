#pragma once

#include <string>
#include <vector>

/// A drawing before it is drawn: what is on the axes and which series there are. Every output
/// that shows pictures draws the same Chart.
namespace kstar {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartAxis {
  std::string label;
  bool log = false;
  bool whole = false;  ///< only whole numbers have a meaning on it
  double low = 0;
  double high = 1;
};

enum class SeriesRole {
  kCurve,  ///< what a law or a measurement says
  kIdeal,  ///< what a perfect system would do
  kBound   ///< a ceiling or a threshold
};

struct ChartSeries {
  std::string name;
  SeriesRole role = SeriesRole::kCurve;
  std::vector<ChartPoint> line;   ///< drawn through, in order
  std::vector<ChartPoint> marks;  ///< drawn as points on top
};

struct Chart {
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
};

}  // namespace kstar
