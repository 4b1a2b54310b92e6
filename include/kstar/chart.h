#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

/// A drawing before it is drawn: what is on the axes and which series there are. Every output
/// that shows pictures draws the same Chart: the terminal what it can, a figure and a page all.
namespace kstar {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

/// A value that somebody measured or computed: with its interval, NaN where there is none. An end
/// that is infinite, or lies outside the axis, is drawn to the border.
///
/// Every `tip` is what pointing at a value shows, as a small table: the first line says what it is,
/// each further one has a name, a tab and a number, or is a note. one_line() is the same for who
/// hears it.
struct ChartMark {
  double x = 0;
  double y = 0;
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string tip;
};

/// From `low` to `high` at one x: a part of a stack, or a piece of a band.
struct ChartSpan {
  double x = 0;
  double low = 0;
  double high = 0;
  std::string tip;
  /// A part's size, high - low, is somewhere between these; NaN where that is not known.
  double least = std::numeric_limits<double>::quiet_NaN();
  double most = std::numeric_limits<double>::quiet_NaN();
  std::string label;  ///< beside its bar
};

/// One field of a map; the value is on Chart::values.
struct ChartCell {
  double x = 0;
  double y = 0;
  double value = 0;
  std::string tip;
};

struct ChartAxis {
  std::string label;
  bool log = false;
  bool whole = false;    ///< only whole numbers have a meaning on it
  bool decimal = false;  ///< a logarithmic one has ticks at powers of ten, never of two
  double low = 0;
  double high = 1;
  bool either = false;             ///< it can be read on the other scale, too
  std::vector<std::string> names;  ///< of 0, 1, 2 ...: then it has no numbers
  bool workers = false;            ///< K is on it: charts with such an axis point at one K together
  std::vector<double> name_workers;  ///< then the K of each name
  /// Of cells: their colour has two sides, and none here.
  double middle = std::numeric_limits<double>::quiet_NaN();
};

enum class SeriesRole {
  kCurve,      ///< what a law or a measurement says
  kPredicted,  ///< beyond what was measured
  kIdeal,      ///< what a perfect system would do
  kBound       ///< a ceiling or a threshold
};

struct ChartSeries {
  std::string name;
  SeriesRole role = SeriesRole::kCurve;
  std::vector<ChartPoint> line;  ///< drawn through, in order
  std::vector<ChartMark> marks;  ///< drawn as points on top
  std::vector<ChartSpan> band;   ///< drawn through as an area, in order, below everything
  std::vector<ChartSpan> stack;  ///< drawn as bars
  int color = -1;                ///< series of one colour belong together; -1: one of its own
  bool small = false;            ///< one of many: marks are dots without bars, lines are thin
  bool stepped = false;  ///< its marks are looked at one by one, where a reader can choose one
};

/// A place on one axis, with what is known of it: the bend, the advice.
struct ChartRule {
  std::string name;
  bool on_x = true;
  double at = 0;  ///< NaN: not known, only the interval is
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string tip;
  std::string key;  ///< what it marks, where a page moves it: "kstar 1", "bend 2"
  int color = -1;   ///< that of the series that it belongs to; -1: of all
  bool dashed = false;
};

struct Chart {
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
  std::vector<ChartRule> rules;
  std::vector<ChartCell> cells;
  ChartAxis values;     ///< of the cells
  std::string kind;     ///< speedup, efficiency ...: kstar/view.h; "" of no kind
  std::string study;    ///< the one of several studies that it shows; "" where it shows all
  std::string caption;  ///< where the numbers come from: it goes wherever the drawing goes
  std::string summary;  ///< what it shows, in a sentence or two, for who cannot see it
  std::vector<std::string> notes;      ///< what was left out or put together, and why
  std::optional<double> at_workers{};  ///< the one K that it is about, where there are such charts
};

}  // namespace kstar
