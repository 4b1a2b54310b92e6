#include "dag/optimum.h"

#include <algorithm>
#include <numeric>

// Branch and bound: tasks are appended to workers in the order of their starts, each as early as it
// can. What is left needs at least its work spread evenly, and the longest path behind every task.
// A schedule that takes no longer than all schedules must ends the search: the greedy one often is.
namespace kstar::dag {

namespace {

class ScheduleSearch {
 public:
  ScheduleSearch(const TaskGraph& graph, const Levels& levels, std::size_t workers, double known)
      : graph_(graph),
        levels_(levels),
        best_(known),
        waits_(waits_of(graph)),
        before_(graph.size()),
        end_(graph.size(), 0),
        worker_(graph.size(), workers),
        free_(workers, 0),
        left_(std::accumulate(graph.times.begin(), graph.times.end(), 0.0)),
        least_(std::max(levels.depth, left_ / static_cast<double>(workers))) {
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
      for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
        before_[graph.next[e]].push_back({task, graph.costs.empty() ? 0 : graph.costs[e]});
      }
    }
  }

  std::optional<double> run() {
    extend(0, 0, 0);
    return steps_ > kMostSteps ? std::nullopt : std::optional(best_);
  }

 private:
  static constexpr std::size_t kMostSteps = 400'000;
  static constexpr double kBetter = 1 - 1e-12;

  struct Before {
    std::uint32_t task;
    double cost;
  };

  double earliest(std::uint32_t task, std::size_t worker) const {
    double start = free_[worker];
    for (const Before& before : before_[task]) {
      const double cost = worker_[before.task] == worker ? 0 : before.cost;
      start = std::max(start, end_[before.task] + cost);
    }
    return start;
  }

  void extend(std::size_t placed, double last_start, double makespan) {
    if (best_ * kBetter <= least_ || ++steps_ > kMostSteps) return;
    if (placed == graph_.size()) {
      best_ = std::min(best_, makespan);
      return;
    }
    const double busy = std::accumulate(free_.begin(), free_.end(), 0.0);
    if ((busy + left_) / static_cast<double>(free_.size()) >= best_ * kBetter) return;
    for (std::uint32_t task = 0; task < graph_.size(); ++task) {
      if (waits_[task] == 0 && worker_[task] == free_.size())
        place(task, placed, last_start, makespan);
    }
  }

  void place(std::uint32_t task, std::size_t placed, double last_start, double makespan) {
    bool tried_new = false;
    for (std::size_t worker = 0; worker < free_.size(); ++worker) {
      const bool is_new = free_[worker] == 0;  // workers that did nothing are alike
      if (is_new && std::exchange(tried_new, true)) continue;
      const double start = earliest(task, worker);
      if (start < last_start || start + levels_.behind[task] >= best_ * kBetter) continue;
      const double was_free = std::exchange(free_[worker], start + graph_.times[task]);
      end_[task] = free_[worker];
      worker_[task] = worker;
      left_ -= graph_.times[task];
      count_next(task, -1);
      extend(placed + 1, start, std::max(makespan, end_[task]));
      count_next(task, 1);
      left_ += graph_.times[task];
      worker_[task] = free_.size();
      free_[worker] = was_free;
    }
  }

  void count_next(std::uint32_t task, int change) {
    for (std::uint32_t e = graph_.first[task]; e < graph_.first[task + 1]; ++e) {
      waits_[graph_.next[e]] += static_cast<std::uint32_t>(change);
    }
  }

  const TaskGraph& graph_;
  const Levels& levels_;
  double best_;
  std::vector<std::uint32_t> waits_;
  std::vector<std::vector<Before>> before_;
  std::vector<double> end_;
  std::vector<std::size_t> worker_;  ///< of each task; their number for none
  std::vector<double> free_;         ///< when each worker is
  double left_;                      ///< the work that is not placed
  double least_;                     ///< no schedule is faster
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<double> least_makespan(const TaskGraph& graph, const Levels& levels, double workers,
                                     double known) {
  if (graph.size() > kMostTried || !graph.pools.empty()) return std::nullopt;
  const auto count = static_cast<std::size_t>(
      std::clamp(workers, 1.0, std::max(1.0, static_cast<double>(graph.size()))));
  return ScheduleSearch(graph, levels, count, known).run();
}

}  // namespace kstar::dag
