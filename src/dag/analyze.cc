#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/changes.h"
#include "dag/curve.h"
#include "dag/optimum.h"
#include "dag/recorded.h"
#include "dag/widths.h"
#include "kstar/dag.h"

namespace kstar {

namespace {

using dag::GreedyCurve;

/// A graph of which only the options make another one is not copied.
class OptionedGraph {
 public:
  OptionedGraph(const TaskGraph& graph, const DagOptions& options) : graph_(&graph) {
    if (!options.edge_cost && !options.cores) return;
    changed_ = graph;
    graph_ = &changed_;
    if (options.cores && !graph.record.start.empty()) {
      dag::take_off_load(changed_, *options.cores);
    }
    if (!options.edge_cost) return;
    changed_.costs.assign(*options.edge_cost > 0 ? graph.edges() : 0, *options.edge_cost);
    for (std::uint32_t task = 0; task < graph.size() && !changed_.costs.empty(); ++task) {
      if (graph.times[task] > 0) continue;  // what only orders sends nothing
      std::fill(changed_.costs.begin() + graph.first[task],
                changed_.costs.begin() + graph.first[task + 1], 0);
    }
  }
  OptionedGraph(const OptionedGraph&) = delete;
  OptionedGraph& operator=(const OptionedGraph&) = delete;

  const TaskGraph& operator*() const { return *graph_; }

 private:
  const TaskGraph* graph_;
  TaskGraph changed_;
};

Result<void> check_usable(const TaskGraph& graph, const DagOptions& options) {
  if (graph.size() == 0) {
    return fail({.where = printable(graph.name), .message = "there is no task in it"});
  }
  double work = 0;
  for (const double time : graph.times) work += time;
  if (!std::isfinite(work)) {
    return fail({.where = printable(graph.name), .message = "the sum of all times is too large"});
  }
  if (work <= 0) {
    return fail({.where = printable(graph.name), .message = "no task takes any time"});
  }
  if (options.priority == Priority::kRecorded && graph.record.start.empty()) {
    return fail({.where = "--priority",
                 .message = "the file has no recorded run to take the order from",
                 .code = ExitCode::kUsage});
  }
  if (options.cores && graph.record.start.empty()) {
    return fail({.where = "--cores",
                 .message = "the file has no recorded run: its times are used as they are",
                 .code = ExitCode::kUsage});
  }
  if (options.edge_cost.value_or(0) > 0 && !graph.pools.empty()) {
    const TaskPool& pool = graph.pools.front();
    return fail({.where = "--edge-cost",
                 .message = fmt::format("schedules with costs know no pools, and '{}' lets only {} "
                                        "of its tasks run at a time",
                                        printable(pool.name), pool.depth),
                 .code = ExitCode::kUsage});
  }
  return {};
}

std::vector<double> listed_workers(const DagOptions& options, GreedyCurve& curve) {
  if (options.workers.empty()) return curve.doubling();
  return {options.workers.begin(), options.workers.end()};
}

/// What is recommended is one of the points, unless they were asked for by name.
void insert_point(const SchedulePoint& point, DagAnalysis& analysis) {
  if (!analysis.options.workers.empty()) return;
  std::vector<SchedulePoint>& points = analysis.points;
  const auto place = std::find_if(points.begin(), points.end(), [&](const SchedulePoint& other) {
    return other.workers >= point.workers;
  });
  if (place == points.end() || place->workers != point.workers) points.insert(place, point);
}

/// The fastest of all that is known: of greedy schedules, and of those proved to be the best.
SchedulePoint fastest_point(const DagAnalysis& analysis, SchedulePoint fastest) {
  constexpr double kSameTime = 1 - 1e-9;
  const auto time_of = [](const SchedulePoint& point) { return point.best.value_or(point.time); };
  for (const SchedulePoint& point : analysis.points) {
    const bool fewer = point.workers < fastest.workers && time_of(point) <= time_of(fastest);
    if (fewer || time_of(point) < time_of(fastest) * kSameTime) fastest = point;
  }
  return fastest;
}

void add_points(const TaskGraph& graph, const DagOptions& options, GreedyCurve& curve,
                DagAnalysis& analysis) {
  std::vector<double> workers = listed_workers(options, curve);
  curve.compute(workers);
  analysis.choice = curve.choose(options.threshold);
  WorkersChoice& choice = analysis.choice;
  if (options.every_worker && options.workers.empty()) {
    workers = curve.spread(std::max(choice.high, 2 * choice.workers));
  }
  for (const double k : workers) analysis.points.push_back(curve.point(k));
  insert_point(choice.point, analysis);
  std::map<double, std::optional<double>> best;  // each K is searched once
  const auto find_best = [&](SchedulePoint& point) {
    const auto [place, is_new] = best.try_emplace(point.workers);
    if (is_new) {
      place->second = dag::least_makespan(graph, curve.levels(), point.workers, point.time);
    }
    point.best = place->second;
  };
  std::for_each(analysis.points.begin(), analysis.points.end(), find_best);
  analysis.fastest = curve.fastest();
  for (SchedulePoint* point : {&choice.point, &choice.twice, &analysis.fastest}) find_best(*point);
  analysis.fastest = fastest_point(analysis, analysis.fastest);
  if (!choice.exact) {
    analysis.notes.push_back(fmt::format(
        "K* is approximate: not every K from {:.0f} to {:.0f} was tried", choice.low, choice.high));
  }
}

/// Of tasks that ran in different runs nobody knows which came first.
bool is_recorded_whole(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.times[i] > 0 && std::isnan(graph.record.start[i])) return false;
  }
  return true;
}

/// How a graph without edges would stand if every task had to wait as it did.
void add_recorded_order(const TaskGraph& graph, const DagOptions& options, GreedyCurve& unordered,
                        DagAnalysis& analysis) {
  if (graph.ordered || graph.record.start.empty() || !is_recorded_whole(graph)) return;
  const TaskGraph ordered = dag::in_recorded_order(graph);
  auto order = dag::topological_order(ordered);
  if (!order) return;
  GreedyCurve curve(ordered, dag::levels_of(ordered, std::move(*order)), options.priority);
  analysis.depth_most = curve.depth();
  analysis.choice_in_order = curve.choose(options.threshold);
  insert_point(unordered.point(analysis.choice_in_order->workers), analysis);
  for (SchedulePoint& point : analysis.points) {
    point.in_order = curve.time(point.workers);
    point.most = std::max(point.most, curve.most(point.workers));
  }
}

/// How it stands if a cache has as much again as it had last.
void add_cached(const TaskGraph& graph, const std::vector<std::uint32_t>& order,
                const DagOptions& options, DagAnalysis& analysis) {
  if (graph.last_times.empty()) return;
  TaskGraph cached = graph;
  cached.times = graph.last_times;
  GreedyCurve curve(cached, dag::levels_of(cached, order), options.priority);
  if (curve.work() > 0) analysis.choice_cached = curve.choose(options.threshold);
}

/// Where the recorded run took several times as long as a schedule of its own tasks, what holds it
/// up is not in the graph, and no schedule says how long another run would take.
void doubt_by_record(const TaskGraph& graph, DagAnalysis& analysis) {
  if (!analysis.recorded || graph.wide || analysis.choice.workers == 1) return;
  const RecordedStanding& run = *analysis.recorded;
  const double explained = graph.ordered ? run.schedule : run.work;
  constexpr double kMuch = 2, kMost = 0.5;
  const bool all = run.work >= kMost * analysis.work;
  if (!analysis.undecided.empty() || !all || run.makespan < kMuch * explained) return;
  analysis.undecided = fmt::format(
      "the recorded run took {} times as long as {}, so most of its time is not in the tasks",
      significant(run.makespan / explained, 2),
      graph.ordered ? "a schedule of its tasks on as many workers"
                    : "its tasks one after the other");
}

std::vector<double> ends_of(const std::vector<double>& starts, const std::vector<double>& times) {
  std::vector<double> ends(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) ends[i] = starts[i] + times[i];
  return ends;
}

void add_widths(const TaskGraph& graph, GreedyCurve& curve, DagAnalysis& analysis) {
  const std::vector<double>& earliest = curve.levels().earliest;
  const std::vector<double> ends = ends_of(earliest, graph.times);
  analysis.width = curve.width();
  analysis.widths.push_back(dag::width_curve("enough workers", earliest, ends));
  std::vector<TaskPlacement> placed;
  const double workers = analysis.choice.workers;
  curve.scheduler().makespan(workers, placed);
  std::vector<double> starts(placed.size());
  std::transform(placed.begin(), placed.end(), starts.begin(),
                 [](const TaskPlacement& task) { return task.start; });
  analysis.widths.push_back(dag::width_curve(fmt::format("K = {:.0f}, greedy", workers), starts,
                                             ends_of(starts, graph.times)));
  if (graph.record.start.empty()) return;
  analysis.widths.push_back(dag::width_curve("recorded", graph.record.start, graph.record.end));
}

DagAnalysis described(const TaskGraph& graph, const DagOptions& options, const GreedyCurve& curve) {
  DagAnalysis analysis;
  analysis.title = graph.name;
  analysis.format = graph.format;
  analysis.seconds = graph.seconds;
  analysis.timed = graph.timed;
  analysis.ordered = graph.ordered;
  analysis.has_costs = !graph.costs.empty();
  analysis.has_pools = !graph.pools.empty();
  analysis.options = options;
  analysis.tasks = static_cast<std::size_t>(
      std::count_if(graph.times.begin(), graph.times.end(), [](double time) { return time > 0; }));
  analysis.no_time = graph.size() - analysis.tasks;
  analysis.wide = graph.wide;
  analysis.condition = !graph.timed ? "all tasks take as long"
                       : !graph.last_times.empty()
                           ? "ccache has as little as it ever had in the log"
                       : graph.cached ? "ccache has as much as it had for the recorded build"
                                      : "";
  analysis.unread = graph.unread;
  analysis.edges = graph.edges();
  analysis.work = curve.work();
  analysis.depth = curve.depth();
  analysis.parallelism = analysis.work / analysis.depth;
  analysis.least = curve.least(static_cast<double>(graph.size()));
  analysis.path_cost = curve.path_cost();
  analysis.notes = graph.notes;
  analysis.facts = graph.facts;
  analysis.undecided = graph.undecided;
  constexpr double kRounded = 1e-6;
  if (graph.stated_depth &&
      std::fabs(*graph.stated_depth - analysis.depth) > kRounded * analysis.depth) {
    analysis.notes.push_back(fmt::format("the file states a longest path of {}, but it has {}",
                                         *graph.stated_depth, analysis.depth));
  }
  analysis.names = graph.names;
  analysis.times = graph.times;
  analysis.earliest = curve.levels().earliest;
  analysis.slack.resize(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const double path = curve.levels().earliest[i] + curve.levels().behind[i];
    analysis.slack[i] = std::max(0.0, analysis.depth - path);
  }
  return analysis;
}

}  // namespace

Result<DagAnalysis> analyze_graph(const TaskGraph& given, const DagOptions& options) {
  KSTAR_CHECK(check_usable(given, options));
  KSTAR_TRY(std::vector<std::uint32_t> order, dag::topological_order(given));
  const OptionedGraph optioned(given, options);
  const TaskGraph& graph = *optioned;
  GreedyCurve curve(graph, dag::levels_of(graph, order), options.priority);
  DagAnalysis analysis = described(graph, options, curve);
  add_points(graph, options, curve, analysis);
  add_recorded_order(graph, options, curve, analysis);
  add_cached(graph, order, options, analysis);
  analysis.work_as_recorded = std::accumulate(given.times.begin(), given.times.end(), 0.0);
  analysis.path = dag::critical_path(graph, curve.levels());
  analysis.changes = dag::useful_changes(graph, curve, analysis.path,
                                         std::max(2.0, analysis.choice.workers), options.priority);
  analysis.pool = dag::pool_limit(graph, curve, options);
  analysis.recorded = dag::recorded_standing(given, order, options);
  doubt_by_record(graph, analysis);
  add_widths(graph, curve, analysis);
  return analysis;
}

Result<std::vector<TaskPlacement>> greedy_schedule(const TaskGraph& given, double workers,
                                                   const DagOptions& options) {
  KSTAR_CHECK(check_usable(given, options));
  KSTAR_TRY(std::vector<std::uint32_t> order, dag::topological_order(given));
  const OptionedGraph optioned(given, options);
  const GreedyCurve curve(*optioned, dag::levels_of(*optioned, std::move(order)), options.priority);
  std::vector<TaskPlacement> placed;
  curve.scheduler().makespan(workers, placed);
  return placed;
}

}  // namespace kstar
