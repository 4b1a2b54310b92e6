#pragma once

#include "dag/curve.h"

namespace kstar::dag {

/// What splitting or dropping a task of the path gives, the most useful first.
std::vector<TaskChange> useful_changes(const TaskGraph& graph, const GreedyCurve& curve,
                                       const std::vector<PathTask>& path, double workers,
                                       Priority priority);

}  // namespace kstar::dag
