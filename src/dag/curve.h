#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dag/schedule.h"

namespace kstar::dag {

/// T(K) of greedy schedules of one graph, each computed once, and what bounds it.
class GreedyCurve {
 public:
  /// The graph outlives this.
  GreedyCurve(const TaskGraph& graph, Levels levels, Priority priority);

  const Levels& levels() const { return levels_; }
  double work() const { return work_; }
  double depth() const { return levels_.depth; }
  double path_cost() const { return path_cost_; }
  const GreedyScheduler& scheduler() const { return scheduler_; }

  /// No schedule is faster.
  double least(double workers) const;
  /// No greedy schedule is slower.
  double most(double workers) const;

  /// Computes these, several at a time.
  void compute(std::span<const double> workers);
  double time(double workers);
  SchedulePoint point(double workers);

  /// The most tasks at a time where each starts as early as it can.
  double width();
  /// 1, 2, 4 ... as far as more workers gain something.
  std::vector<double> doubling();
  /// Every K up to 64 and a geometric row beyond, as far as they can be afforded.
  std::vector<double> spread(double last);
  /// The K of the least time of those with an E of the threshold or more.
  WorkersChoice choose(double threshold);
  /// The least time of all K that were computed, on the fewest workers.
  SchedulePoint fastest();

 private:
  /// How many schedules can be afforded.
  std::size_t affordable() const;
  /// By how much a K may differ from the best.
  double near_enough() const;
  /// The fewest workers that are known to take the least that any number does; infinity for none.
  double least_reached() const;
  /// Some of many K, where equal tasks or the width come out even.
  void try_some(double low, double high);
  /// Of those computed, and near to the best of them.
  double refined(double low, double high, double threshold);
  /// The best of those computed.
  double best_of_known(double threshold) const;
  bool is_efficient(double workers, double time, double threshold) const;

  const TaskGraph& graph_;
  Levels levels_;
  GreedyScheduler scheduler_;
  double work_ = 0;
  double path_cost_ = 0;
  double width_ = 0;  ///< 0 while it is not known
  std::vector<double> pool_work_;
  /// On as many workers as a schedule could use, or more, it is always this one.
  GreedyRun enough_{.time = 0, .used = std::numeric_limits<double>::infinity()};
  std::map<double, double> times_;
};

}  // namespace kstar::dag
