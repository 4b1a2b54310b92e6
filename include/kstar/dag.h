#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/dag_graph.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// How much parallelism a graph of tasks has: work, depth, and what greedy schedules make of it.
///
/// Work W is the sum of all times, depth D the longest path. On K workers a greedy schedule, which
/// lets no worker idle while a task is ready, takes T with (Graham 1969, Brent 1974)
///   max(W/K, D) <= T <= W/K + D (K - 1)/K
/// With costs on edges between workers the most is larger by the largest sum of costs on a path,
/// with pools by the time that each could hold up all others.
namespace kstar {

/// Which of several ready tasks starts first.
enum class Priority : std::uint8_t {
  kCriticalPath,  ///< the longest path behind it
  kRecorded,      ///< the earliest start in the recorded run
  kFile           ///< the order of the file
};

/// The names on the command line: critical-path, recorded, file.
KSTAR_EXPORT std::string_view name_of(Priority priority);

struct DagOptions {
  std::vector<std::int64_t> workers;  ///< empty: doubling, as far as it gains, and K*
  /// Every K up to 64, then some: for a study that others take K from.
  bool every_worker = false;
  double threshold = kThreshold;
  Priority priority = Priority::kCriticalPath;
  std::optional<double> edge_cost;  ///< of every edge, instead of the file's own
  /// On how many cores the recorded run was: with more tasks at a time than cores, each task got
  /// a part of a core, and its time is reduced to what it would have taken alone.
  std::optional<double> cores;
  bool assumed_cores = false;  ///< nobody said so: the run was made here, and this machine has them
};

/// A greedy schedule on K workers.
struct SchedulePoint {
  double workers = 1;
  double time = 0;
  double least = 0;  ///< no schedule is faster
  double most = 0;   ///< no greedy schedule is slower, in whatever order tasks start
  double speedup = 1;
  double efficiency = 1;
  /// The fastest of all schedules, where the graph is small enough to try them.
  std::optional<double> best;
  /// With every task behind all that ended before it started: of a graph without edges.
  std::optional<double> in_order;
  std::optional<Estimate> measured;
};

struct PathTask {
  std::uint32_t task = 0;
  double start = 0;  ///< on enough workers
  double time = 0;
};

/// What one change of one task gives.
struct TaskChange {
  std::uint32_t task = 0;
  double time = 0;
  double depth_if_split = 0;    ///< into two halves, side by side
  double depth_if_dropped = 0;  ///< it takes no time
  /// T at the recommended K, likewise; none where the graph is too large to schedule again.
  std::optional<double> time_if_split;
  std::optional<double> time_if_dropped;
};

/// How many tasks run at a time, as steps: from `time` on there are `width`.
struct WidthStep {
  double time = 0;
  double width = 0;
};
struct WidthCurve {
  std::string name;
  std::vector<WidthStep> steps;  ///< ends with a width of 0
};

/// K by the threshold of efficiency: of all K that reach it, the one with the least time, and of
/// those that take as long the smallest.
struct WorkersChoice {
  double workers = 1;
  SchedulePoint point;
  double low = 1;       ///< in whatever order tasks start, it is not below this K
  double high = 1;      ///< no schedule is efficient beyond this K
  bool exact = true;    ///< false: there are more K than could be tried
  SchedulePoint twice;  ///< on twice as many workers
};

/// The pool that holds schedules up the most.
struct PoolLimit {
  std::string name;
  int depth = 1;          ///< so many of its tasks at a time
  std::size_t tasks = 0;  ///< that take time
  double work = 0;
  std::optional<WorkersChoice> twice_as_deep;  ///< none where the graph is too large
};

/// The recorded run, next to the schedule of the same tasks on as many workers.
struct RecordedStanding {
  std::size_t tasks = 0;
  double work = 0;
  double makespan = 0;
  double workers = 1;      ///< the most at a time
  double used = 0;         ///< work / (K x makespan)
  double schedule = 0;     ///< the greedy T of these tasks
  double least = 0;        ///< no schedule of them is faster
  std::size_t broken = 0;  ///< edges whose tasks ran in the wrong order: the graph is another one
  std::string name;
};

/// An algorithm of the catalogue, whose graph is known by formulas.
struct AlgorithmFacts {
  std::string name;
  std::string work, depth;  ///< formulas
  std::string unit;         ///< what counts 1
  std::string source;
  double n = 1;
};

struct DagAnalysis {
  std::string title;
  std::string format;
  bool seconds = true, timed = true, ordered = true;
  bool has_costs = false, has_pools = false;
  bool wide = false;      ///< tasks may have used several cores each
  std::string condition;  ///< "all tasks take as long": what the answer assumes; "": nothing
  std::vector<std::string> unread;  ///< columns of a table that may say which task waits for which
  DagOptions options;

  std::size_t tasks = 0;    ///< that take time
  std::size_t no_time = 0;  ///< of the file that take none: they only order
  std::size_t edges = 0;
  double work = 0;
  double work_as_recorded = 0;  ///< with nothing taken off for `DagOptions::cores`
  double depth = 0;
  double parallelism = 1;              ///< W/D: no speedup is larger
  double least = 0;                    ///< no number of workers takes less: the depth, or `pool`
  std::optional<double> depth_most{};  ///< of a graph without edges: in the recorded order
  double width = 1;                    ///< the most that can run at a time, all started at once
  std::vector<SchedulePoint> points;
  WorkersChoice choice;
  std::optional<WorkersChoice> choice_in_order;
  std::optional<WorkersChoice> choice_cached;  ///< if a cache has as much as it had last
  /// The least time of all that were tried, on the fewest workers; `best` where that is less.
  SchedulePoint fastest;
  std::vector<PathTask> path;
  double path_cost = 0;             ///< the most that is paid for edges on any path
  std::vector<TaskChange> changes;  ///< of the tasks on the path, the most useful first
  std::optional<PoolLimit> pool;
  std::vector<WidthCurve> widths;
  std::optional<RecordedStanding> recorded;
  std::optional<AlgorithmFacts> algorithm;
  std::vector<std::string> notes;
  std::vector<std::string> facts;
  std::string undecided;  ///< why nothing is recommended; "" where something is

  // Of all tasks.
  std::vector<std::string> names;
  std::vector<double> times;
  std::vector<double> earliest;  ///< when it can start, on enough workers
  std::vector<double> slack;     ///< how much later it may start and nothing ends later
};

/// A cycle is an error that shows it.
KSTAR_EXPORT Result<DagAnalysis> analyze_graph(const TaskGraph& graph,
                                               const DagOptions& options = {});

/// A schedule, task by task.
struct TaskPlacement {
  double start = 0;
  std::uint32_t worker = 0;
};
KSTAR_EXPORT Result<std::vector<TaskPlacement>> greedy_schedule(const TaskGraph& graph,
                                                                double workers,
                                                                const DagOptions& options = {});

/// The greedy curve as a Study, one run per K.
KSTAR_EXPORT Study greedy_study(const DagAnalysis& analysis, std::vector<std::string> command);

}  // namespace kstar
