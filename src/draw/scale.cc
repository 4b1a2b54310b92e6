#include "draw/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/ticks.h"

namespace kstar {

namespace {

// In lengths of the axis: what has no place on it lies beyond its border, and near enough that a
// line there and back is seen to go there; what is merely far away stays finite.
constexpr double kBeyond = 0.25;
constexpr double kFar = 1e4;

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double least_positive = std::numeric_limits<double>::infinity();
};

Extent extent_of(std::span<const double> values) {
  Extent extent;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
    if (value > 0) extent.least_positive = std::min(extent.least_positive, value);
  }
  return extent;
}

void mend_ends(const Extent& extent, ChartAxis& axis) {
  if (!std::isfinite(axis.low)) axis.low = std::isfinite(extent.low) ? extent.low : 0;
  if (!std::isfinite(axis.high))
    axis.high = std::isfinite(extent.high) ? extent.high : axis.low + 1;
  if (axis.high < axis.low) std::swap(axis.low, axis.high);
}

/// A logarithmic axis begins a little below the least value that has a place on it.
void begin_above_zero(const Extent& extent, ChartAxis& axis) {
  if (!axis.log || axis.low > 0) return;
  if (axis.high <= 0) {
    axis.log = false;
    return;
  }
  constexpr double kLongest = 1e6, kUsual = 1e3, kBelow = 1.25;
  const double least =
      extent.least_positive < axis.high ? extent.least_positive / kBelow : axis.high / kUsual;
  axis.low = std::max(least, axis.high / kLongest);
}

/// A linear axis of what was logarithmic begins at zero and ends where the values do: the powers
/// in between would squeeze them.
void make_linear(const Extent& extent, ChartAxis& axis) {
  constexpr double kAbove = 1.15;
  axis.log = false;
  if (axis.whole) return;
  axis.low = std::min(axis.low, 0.0);
  if (extent.high > axis.low) axis.high = std::min(axis.high, kAbove * extent.high);
}

}  // namespace

double Scale::at(double value) const {
  const auto placed = [this](double position) { return start + position * (end - start); };
  if (std::isnan(value)) return value;
  if (std::isinf(value)) return placed(value < 0 ? -kBeyond : 1 + kBeyond);
  if (axis.log && value <= 0) return placed(-kBeyond);
  return placed(std::clamp(position_on(axis, value), -kFar, kFar));
}

ChartAxis drawn_axis(const ChartAxis& axis, std::optional<bool> log,
                     std::span<const double> values) {
  ChartAxis drawn = axis;
  if (!axis.names.empty()) {
    drawn.log = false;
    drawn.low = -0.5;
    drawn.high = static_cast<double>(axis.names.size()) - 0.5;
    return drawn;
  }
  const Extent extent = extent_of(values);
  mend_ends(extent, drawn);
  if (axis.either && log && *log != axis.log) {
    drawn.log = *log;
    if (axis.log) make_linear(extent, drawn);
  }
  begin_above_zero(extent, drawn);
  return drawn;
}

}  // namespace kstar
