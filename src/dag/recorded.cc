#include "dag/recorded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dag/curve.h"
#include "dag/graph_builder.h"
#include "dag/widths.h"

namespace kstar::dag {

namespace {

/// The recorded tasks with their recorded times; the others take none.
TaskGraph recorded_tasks(const TaskGraph& graph) {
  TaskGraph recorded = graph;
  for (std::size_t i = 0; i < graph.record.start.size(); ++i) {
    const double time = graph.record.end[i] - graph.record.start[i];
    recorded.times[i] = std::isnan(time) ? 0 : time;
  }
  return recorded;
}

/// Edges whose task started before what it waits for had ended, by more than a clock's grain.
std::size_t broken_edges(const TaskGraph& graph) {
  const TaskRecord& record = graph.record;
  constexpr double kGrain = 0.002;
  if (record.start.empty()) return 0;
  std::size_t broken = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      if (record.start[graph.next[e]] < record.end[task] - kGrain) ++broken;
    }
  }
  return broken;
}

double length_of(const TaskRecord& record) {
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    if (std::isnan(record.start[i])) continue;
    first = std::min(first, record.start[i]);
    last = std::max(last, record.end[i]);
  }
  return last - first;
}

}  // namespace

std::optional<RecordedStanding> recorded_standing(const TaskGraph& graph,
                                                  const std::vector<std::uint32_t>& order,
                                                  const DagOptions& options) {
  const TaskRecord& record = graph.record;
  if (record.start.empty() && !record.makespan) return std::nullopt;
  TaskGraph tasks = recorded_tasks(graph);
  RecordedStanding standing;
  standing.name = record.name;
  standing.tasks = static_cast<std::size_t>(
      std::count_if(tasks.times.begin(), tasks.times.end(), [](double time) { return time > 0; }));
  if (standing.tasks == 0) return std::nullopt;
  standing.makespan = record.makespan ? *record.makespan : length_of(record);
  standing.workers = record.workers ? *record.workers : most_at_a_time(record.start, record.end);
  standing.work = std::accumulate(tasks.times.begin(), tasks.times.end(), 0.0);
  const double workers = std::max(standing.workers, 1.0);
  standing.used = standing.work / (workers * standing.makespan);
  const double cores = record.start.empty() ? workers : options.cores.value_or(workers);
  if (cores < workers) take_off_load(tasks, cores);
  const GreedyCurve curve(tasks, levels_of(tasks, order), options.priority);
  const bool known = standing.workers > 0;
  standing.schedule = known ? curve.scheduler().makespan_on(cores, workers) : curve.depth();
  standing.least = known ? curve.least(std::min(cores, workers)) : curve.depth();
  standing.broken = broken_edges(graph);
  return standing;
}

void take_off_load(TaskGraph& graph, double cores) {
  const TaskRecord& record = graph.record;
  // The share of a core that a task has, summed over time: all that run at a time have the same.
  std::vector<double> moments;
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    if (std::isnan(record.start[i])) continue;
    moments.push_back(record.start[i]);
    moments.push_back(record.end[i]);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  const auto place = [&](double time) {
    return static_cast<std::size_t>(std::lower_bound(moments.begin(), moments.end(), time) -
                                    moments.begin());
  };
  std::vector<double> width(moments.size() + 1, 0), share(moments.size() + 1, 0);
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    if (std::isnan(record.start[i])) continue;
    width[place(record.start[i])] += 1;
    width[place(record.end[i])] -= 1;
  }
  double at_a_time = 0;
  for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
    at_a_time += width[i];
    share[i + 1] =
        share[i] + (moments[i + 1] - moments[i]) * std::min(1.0, cores / std::max(at_a_time, 1.0));
  }
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    const double time = record.end[i] - record.start[i];
    if (!(time > 0)) continue;
    const double alone = (share[place(record.end[i])] - share[place(record.start[i])]) / time;
    graph.times[i] *= alone;
    if (!graph.last_times.empty()) graph.last_times[i] *= alone;
  }
}

// Moments are tasks of no time, each behind the one before: a task waits for the moment of its
// start, and the first moment at or after its end waits for it. So n tasks have 3 n edges.
TaskGraph in_recorded_order(const TaskGraph& graph) {
  const TaskRecord& record = graph.record;
  TaskGraph ordered;
  ordered.name = graph.name;
  ordered.names = graph.names;
  ordered.times = graph.times;
  ordered.record = record;
  ordered.pools = graph.pools;
  ordered.pool_of = graph.pool_of;
  std::vector<double> starts;
  for (const double start : record.start) {
    if (!std::isnan(start)) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const auto moment = [&](double time) {
    return static_cast<std::uint32_t>(
        graph.size() + static_cast<std::size_t>(
                           std::lower_bound(starts.begin(), starts.end(), time) - starts.begin()));
  };
  const std::size_t all = graph.size() + starts.size();
  ordered.names.resize(all);
  ordered.times.resize(all, 0);
  ordered.record.start.resize(all, std::nan(""));
  ordered.record.end.resize(all, std::nan(""));
  if (!ordered.pool_of.empty()) ordered.pool_of.resize(all, 0);
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < starts.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(graph.size()) + i;
    edges.push_back({at - 1, at});
  }
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    if (std::isnan(record.start[task])) continue;
    edges.push_back({moment(record.start[task]), task});
    const std::uint32_t end = moment(record.end[task]);
    if (end < all && record.end[task] > record.start[task]) edges.push_back({task, end});
  }
  set_edges(ordered, edges);
  return ordered;
}

}  // namespace kstar::dag
