#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "dag/levels.h"

namespace kstar::dag {

/// The tasks in the order in which ready ones start.
std::vector<std::uint32_t> task_order(const TaskGraph& graph, const Levels& levels,
                                      Priority priority);

/// Greedy list schedules of one graph (Graham 1969): whenever a worker is idle and a task is ready,
/// the first of the ready tasks starts. Where edges have costs, a task is ready on a worker when
/// what it waits for has come there, and it starts where it can start now; no worker waits for what
/// comes later. Tasks of a pool that is full are not ready.
class GreedyScheduler {
 public:
  /// The graph has no cycle, and outlives this.
  GreedyScheduler(const TaskGraph& graph, std::vector<std::uint32_t> order);

  /// The end of the last task on so many workers.
  double makespan(double workers) const { return run(workers, nullptr, kEnoughCores); }

  /// The same on so many cores, which all tasks that run share alike: with w of them on c < w cores
  /// each gets on c/w as fast. Costs of edges are not shared.
  double makespan_on(double cores, double workers) const { return run(workers, nullptr, cores); }

  /// The same; `placed` becomes where each task ran. Tasks of no time have no worker of their own.
  double makespan(double workers, std::vector<TaskPlacement>& placed) const {
    return run(workers, &placed, kEnoughCores);
  }

 private:
  friend class PlainRun;
  friend class CostRun;
  static constexpr double kEnoughCores = std::numeric_limits<double>::infinity();
  double run(double workers, std::vector<TaskPlacement>* placed, double cores) const;

  void sort_by_rank();
  void find_what_is_before();

  const TaskGraph& graph_;
  std::vector<std::uint32_t> order_;  ///< the task of each rank
  std::vector<std::uint32_t> rank_;   ///< of each task
  std::vector<std::uint32_t> waits_;  ///< the edges that lead to each task
  // Of graphs without costs: the same graph with ranks for tasks. What runs at about the same time
  // is near to each other then, which makes schedules of large graphs several times faster.
  std::vector<double> times_;
  std::vector<std::uint32_t> first_, next_;
  // The edges that lead to each rank. Every edge of a schedule changes one of these counts, so they
  // should fit into a cache: a byte each, and the rest of the few that do not fit.
  std::vector<std::uint8_t> first_waits_;
  std::unordered_map<std::uint32_t, std::uint32_t> more_waits_;
  // Of graphs with costs: the tasks that each waits for, and the edge from there.
  std::vector<std::uint32_t> before_first_, before_, before_edge_;
};

}  // namespace kstar::dag
