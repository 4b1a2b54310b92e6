#pragma once

#include <string>
#include <vector>

#include "kstar/chart.h"

namespace kstar {

struct Tick {
  double value = 0;
  std::string label;
};

/// About `wanted` round values within the axis: 1, 2, 5 times a power of ten on a linear axis,
/// powers of two or ten on a logarithmic one. Never none: an axis of one value has that tick.
std::vector<Tick> ticks_of(const ChartAxis& axis, int wanted);

/// Where a value lies on the axis: 0 at its low end, 1 at its high end; outside, beyond these. The
/// value of an axis that has only one lies in the middle.
double position_on(const ChartAxis& axis, double value);

}  // namespace kstar
