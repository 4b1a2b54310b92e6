#pragma once

#include <vector>

#include "draw/scale.h"
#include "draw/text_metrics.h"
#include "draw/ticks.h"

namespace kstar {

/// As many ticks as have room for their labels side by side (along x).
std::vector<Tick> fit_x_ticks(const Scale& scale, const Face& face);

/// As many ticks as have room for their labels one above the other.
std::vector<Tick> fit_y_ticks(const Scale& scale, const Face& face);

/// The names of an axis whose places are `step` points apart: every one, or every second, third ...
/// has a label; `widest` cuts them.
std::vector<Tick> fit_names(const ChartAxis& axis, double step, double room, double widest,
                            const Face& face);

}  // namespace kstar
