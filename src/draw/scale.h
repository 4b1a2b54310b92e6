#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kstar/chart.h"

/// Bars and cells take room around their place: from half-way to the neighbour on one side to
/// half-way on the other.
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

struct Slot {
  double value = 0;
  double from = 0;  ///< in points, from < to
  double to = 0;
};

/// One slot for every different value, in their order.
std::vector<Slot> slots_of(std::vector<double> values, const Scale& scale);

/// The slot of that value.
const Slot& slot_of(const std::vector<Slot>& slots, double value);

/// Makes room at both ends of the scale for the outermost slots.
void make_room(const std::vector<double>& values, Scale& scale);

}  // namespace kstar
