#pragma once

#include <cstdint>
#include <vector>

#include "kstar/dag.h"

namespace kstar::dag {

/// Every task behind all that it waits for. A cycle is an error that shows it.
Result<std::vector<std::uint32_t>> topological_order(const TaskGraph& graph);

/// How many edges lead to each task.
std::vector<std::uint32_t> waits_of(const TaskGraph& graph);

struct Levels {
  std::vector<std::uint32_t> order;  ///< topological
  std::vector<double> earliest;      ///< the longest path before a task
  std::vector<double> behind;        ///< the longest path from its start to the end
  double depth = 0;
};
Levels levels_of(const TaskGraph& graph, std::vector<std::uint32_t> order);

/// One longest path; tasks of no time are left out.
std::vector<PathTask> critical_path(const TaskGraph& graph, const Levels& levels);

/// The largest sum of the edges' costs on any path.
double largest_path_cost(const TaskGraph& graph, const std::vector<std::uint32_t>& order);

/// The longest path that avoids the task, for each task of the path.
std::vector<double> depths_without(const TaskGraph& graph, const Levels& levels,
                                   const std::vector<PathTask>& path);

}  // namespace kstar::dag
