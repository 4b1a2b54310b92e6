#pragma once

#include <string>
#include <vector>

#include "draw/scale.h"
#include "draw/text_metrics.h"
#include "kstar/chart.h"

namespace kstar {

struct Tick {
  double value = 0;
  std::string label;
};

/// About `wanted` round values within the axis: 1, 2, 5 times a power of ten on a linear axis,
/// powers of two or ten on a logarithmic one (of ten, with 2 and 5 where there is room, where it
/// begins far below 1). Never none: an axis of one value has that tick. Names have a tick each.
std::vector<Tick> ticks_of(const ChartAxis& axis, int wanted);

/// What stands between the ticks of a logarithmic axis without a label: 2 to 9 times a power of ten
/// or, between powers of two that were left out, those. None on other axes.
std::vector<double> minor_ticks_of(const ChartAxis& axis, const std::vector<Tick>& ticks);

/// Where a value lies on the axis: 0 at its low end, 1 at its high end; outside, beyond these. The
/// value of an axis that has only one lies in the middle.
double position_on(const ChartAxis& axis, double value);

/// As many ticks as have room for their labels side by side (along x).
std::vector<Tick> fit_x_ticks(const Scale& scale, const Face& face);

/// As many ticks as have room for their labels one above the other.
std::vector<Tick> fit_y_ticks(const Scale& scale, const Face& face);

/// The names of an axis whose places are `step` points apart: every one, or every second, third ...
/// has a label; `widest` cuts them.
std::vector<Tick> fit_names(const ChartAxis& axis, double step, double room, double widest,
                            const Face& face);

}  // namespace kstar
