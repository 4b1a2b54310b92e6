#pragma once

#include "dag/curve.h"

namespace kstar::dag {

/// What splitting or dropping a task of the path gives, the most useful first.
std::vector<TaskChange> useful_changes(const TaskGraph& graph, const GreedyCurve& curve,
                                       const std::vector<PathTask>& path, double workers,
                                       Priority priority);

/// The pool that takes longest however many workers there are, and K* with twice its depth.
std::optional<PoolLimit> pool_limit(const TaskGraph& graph, const GreedyCurve& curve,
                                    const DagOptions& options);

}  // namespace kstar::dag
