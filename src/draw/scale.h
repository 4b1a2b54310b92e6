#pragma once

#include <optional>
#include <span>

#include "kstar/chart.h"

namespace kstar {

/// Where the values of an axis lie on a drawing, in points.
struct Scale {
  ChartAxis axis;
  double start = 0;  ///< of axis.low
  double end = 0;    ///< of axis.high; for y it is above, and so less

  /// Finite for every value but NaN: what has no place on the axis (0 on a logarithmic one, the
  /// infinite) lies far beyond its end.
  double at(double value) const;
};

/// The axis as it is drawn: on the scale asked for, where it can be read on that, with ends that
/// can be drawn. `values` are those that must have a place on it.
ChartAxis drawn_axis(const ChartAxis& axis, std::optional<bool> log,
                     std::span<const double> values);

}  // namespace kstar
