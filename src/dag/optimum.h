#pragma once

#include <optional>

#include "dag/levels.h"

namespace kstar::dag {

/// More tasks than this are not tried in all orders.
inline constexpr std::size_t kMostTried = 16;

/// The makespan of the fastest schedule, `known` or less; nothing where it was not found in time,
/// or the graph is too large or has pools.
std::optional<double> least_makespan(const TaskGraph& graph, const Levels& levels, double workers,
                                     double known);

}  // namespace kstar::dag
