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

struct GreedyRun {
  double time = 0;  ///< the end of the last task
  double used = 0;  ///< the most workers that were busy at a time: more would change nothing
};

/// Greedy list schedules of one graph (Graham 1969): whenever a worker is idle and a task is ready,
/// the first of the ready tasks starts. Where edges have costs, a task is ready on a worker when
/// what it waits for has come there, and it starts where it can start now; no worker waits for what
/// comes later. Tasks of a pool that is full are not ready.
class GreedyScheduler {
 public:
  /// The graph has no cycle, and outlives this.
  GreedyScheduler(const TaskGraph& graph, std::vector<std::uint32_t> order);

  GreedyRun try_on(double workers) const { return run(workers, nullptr, kEnoughCores); }

  /// The end of the last task on so many workers.
  double makespan(double workers) const { return try_on(workers).time; }

  /// The same on so many cores, which all tasks that run share alike: with w of them on c < w cores
  /// each gets on c/w as fast. Costs of edges are not shared.
  double makespan_on(double cores, double workers) const {
    return run(workers, nullptr, cores).time;
  }

  /// The same; `placed` becomes where each task ran. Tasks of no time have no worker of their own.
  double makespan(double workers, std::vector<TaskPlacement>& placed) const {
    return run(workers, &placed, kEnoughCores).time;
  }

 private:
  friend class PlainRun;
  friend class CostRun;
  static constexpr double kEnoughCores = std::numeric_limits<double>::infinity();
  GreedyRun run(double workers, std::vector<TaskPlacement>* placed, double cores) const;

  const TaskGraph& graph_;
  std::vector<std::uint32_t> order_;  ///< the task of each rank
  // The same graph with ranks for tasks. What runs at about the same time is near to each other
  // then, which makes schedules of large graphs several times faster.
  std::vector<double> times_;
  std::vector<std::uint32_t> first_, next_;
  std::vector<double> costs_;  ///< of each edge; empty where they are 0
  // The edges that lead to each rank. Every edge of a schedule changes one of these counts, so they
  // should fit into a cache: a byte each, and the rest of the few that do not fit.
  std::vector<std::uint8_t> first_waits_;
  std::unordered_map<std::uint32_t, std::uint32_t> more_waits_;
};

}  // namespace kstar::dag
