#include "dag/changes.h"

#include <algorithm>

#include "dag/graph_builder.h"

namespace kstar::dag {

namespace {

/// Larger graphs are not scheduled again for every change.
constexpr std::size_t kMostRescheduled = 300'000;
constexpr std::size_t kMostChanges = 5;

TaskGraph with_dropped(const TaskGraph& graph, std::uint32_t task) {
  TaskGraph changed = graph;
  changed.times[task] = 0;
  return changed;
}

/// The task and a copy of it, each of half the time, wait for the same and are waited for alike.
TaskGraph with_split(const TaskGraph& graph, std::uint32_t task) {
  TaskGraph changed = graph;
  const auto half = static_cast<std::uint32_t>(graph.size());
  changed.times[task] /= 2;
  changed.times.push_back(changed.times[task]);
  changed.names.push_back(graph.names[task]);
  if (!graph.pool_of.empty()) changed.pool_of.push_back(graph.pool_of[task]);
  for (std::vector<double>* record : {&changed.record.start, &changed.record.end}) {
    if (!record->empty()) record->push_back((*record)[task]);
  }
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (std::uint32_t from = 0; from < graph.size(); ++from) {
    for (std::uint32_t e = graph.first[from]; e < graph.first[from + 1]; ++e) {
      const std::uint32_t to = graph.next[e];
      edges.push_back({from, to});
      if (from == task) edges.push_back({half, to});
      if (to == task) edges.push_back({from, half});
      if (!graph.costs.empty()) costs.resize(edges.size(), graph.costs[e]);
    }
  }
  set_edges(changed, edges, costs);
  return changed;
}

double time_of(const TaskGraph& graph, double workers, Priority priority) {
  const auto order = topological_order(graph);
  const Levels levels = levels_of(graph, *order);
  return GreedyScheduler(graph, task_order(graph, levels, priority)).makespan(workers);
}

}  // namespace

std::vector<TaskChange> useful_changes(const TaskGraph& graph, const GreedyCurve& curve,
                                       const std::vector<PathTask>& path, double workers,
                                       Priority priority) {
  const std::vector<double> without = depths_without(graph, curve.levels(), path);
  std::vector<TaskChange> changes;
  for (std::size_t i = 0; i < path.size(); ++i) {
    TaskChange change{.task = path[i].task, .time = path[i].time};
    change.depth_if_split = std::max(without[i], curve.depth() - path[i].time / 2);
    change.depth_if_dropped = std::max(without[i], curve.depth() - path[i].time);
    changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const TaskChange& a, const TaskChange& b) {
    return a.depth_if_split != b.depth_if_split       ? a.depth_if_split < b.depth_if_split
           : a.depth_if_dropped != b.depth_if_dropped ? a.depth_if_dropped < b.depth_if_dropped
                                                      : a.time > b.time;
  });
  if (changes.size() > kMostChanges) changes.resize(kMostChanges);
  if (graph.size() + graph.edges() > kMostRescheduled) return changes;
  const double whole = time_of(graph, workers, priority);
  for (TaskChange& change : changes) {
    change.time_if_split =  // nobody has to split it
        std::min(whole, time_of(with_split(graph, change.task), workers, priority));
    change.time_if_dropped = time_of(with_dropped(graph, change.task), workers, priority);
  }
  return changes;
}

std::optional<PoolLimit> pool_limit(const TaskGraph& graph, const GreedyCurve& curve,
                                    const DagOptions& options) {
  if (graph.pools.empty()) return std::nullopt;
  std::vector<PoolLimit> pools;
  for (const TaskPool& pool : graph.pools)
    pools.push_back({.name = pool.name, .depth = pool.depth});
  for (std::size_t task = 0; task < graph.pool_of.size(); ++task) {
    if (graph.pool_of[task] == 0 || graph.times[task] == 0) continue;
    PoolLimit& pool = pools[graph.pool_of[task] - 1];
    ++pool.tasks;
    pool.work += graph.times[task];
  }
  const auto longest = std::max_element(
      pools.begin(), pools.end(),
      [](const PoolLimit& a, const PoolLimit& b) { return a.work / a.depth < b.work / b.depth; });
  PoolLimit limit = *longest;
  if (graph.size() + graph.edges() > kMostRescheduled) return limit;
  TaskGraph deeper = graph;
  deeper.pools[static_cast<std::size_t>(longest - pools.begin())].depth *= 2;
  limit.twice_as_deep =
      GreedyCurve(deeper, curve.levels(), options.priority).choose(options.threshold);
  return limit;
}

}  // namespace kstar::dag
