#pragma once

#include <span>
#include <string>

#include "kstar/dag.h"

namespace kstar::dag {

/// How many of these run at a time. Of many tasks, the mean in each of some hundred equal parts.
WidthCurve width_curve(std::string name, std::span<const double> starts,
                       std::span<const double> ends);

/// The most that run at a time. One that ends when another starts is gone then.
double most_at_a_time(std::span<const double> starts, std::span<const double> ends);

}  // namespace kstar::dag
