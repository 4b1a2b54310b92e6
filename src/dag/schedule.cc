#include "dag/schedule.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "dag/event_queue.h"
#include "dag/ready_queue.h"

namespace kstar::dag {

namespace {

/// Ends that differ by rounding alone are one moment.
constexpr double kSameMoment = 1e-12;

/// More workers than tasks are never used.
std::uint32_t useful_workers(double workers, std::size_t tasks) {
  const auto most = static_cast<double>(std::max<std::size_t>(tasks, 1));
  return static_cast<std::uint32_t>(std::clamp(workers, 1.0, most));
}

/// As much of a count as fits into a byte, which is taken off.
std::uint8_t take_byte(std::uint32_t& count) {
  const std::uint32_t taken =
      std::min<std::uint32_t>(count, std::numeric_limits<std::uint8_t>::max());
  count -= taken;
  return static_cast<std::uint8_t>(taken);
}

}  // namespace

/// Where data are everywhere at once. Tasks are their ranks here. Workers are alike, and are told
/// apart only where placements are asked for. Times are those that a task takes alone: where tasks
/// share cores all get on alike, so that only the clock is slower, and they end in the same order.
class PlainRun {
 public:
  PlainRun(const GreedyScheduler& all, double workers, std::vector<TaskPlacement>* placed,
           double cores)
      : all_(all),
        graph_(all.graph_),
        waits_(all.first_waits_),
        more_waits_(all.more_waits_),
        ready_(graph_.size()),
        workers_(useful_workers(workers, graph_.size())),
        cores_(cores),
        idle_(placed == nullptr ? 0 : workers_),
        placed_(placed),
        held_(graph_.pools.size()),
        used_(graph_.pools.size(), 0) {
    if (placed_ == nullptr) return;
    placed_->assign(graph_.size(), {});
    for (std::uint32_t worker = 0; worker < workers_; ++worker) idle_.insert(worker);
  }

  GreedyRun run() {
    for (std::uint32_t task = 0; task < graph_.size(); ++task) {
      if (all_.first_waits_[task] == 0) arrive(task);
    }
    std::size_t used = 0;
    for (;;) {
      while (running_.size() < workers_ && !ready_.empty()) start(ready_.pop());
      if (running_.empty()) return {now_ + shared_, static_cast<double>(used)};
      used = std::max(used, running_.size());
      const double slower = std::max(1.0, static_cast<double>(running_.size()) / cores_);
      shared_ += (running_.time() - now_) * (slower - 1);
      now_ = running_.time();
      const double moment = now_ * (1 + kSameMoment);
      while (running_.time() <= moment) {
        finish(running_.take().task);
      }
    }
  }

 private:
  std::uint16_t pool_of(std::uint32_t task) const {
    return graph_.pool_of.empty() ? std::uint16_t{0} : graph_.pool_of[all_.order_[task]];
  }
  TaskPlacement& placement(std::uint32_t task) { return (*placed_)[all_.order_[task]]; }

  /// All that the task waits for is done.
  void arrive(std::uint32_t task) {
    if (all_.times_[task] == 0) {
      if (placed_ != nullptr) placement(task).start = now_;
      instant_.push_back(task);
      release_instant();
      return;
    }
    const std::uint16_t pool = pool_of(task);
    if (pool == 0) return ready_.insert(task);
    held_[pool - 1].push(task);
    fill(pool);
  }

  /// Tasks of a pool are ready as far as it has room.
  void fill(std::uint16_t pool) {
    auto& held = held_[pool - 1];
    while (!held.empty() && used_[pool - 1] < graph_.pools[pool - 1].depth) {
      ++used_[pool - 1];
      ready_.insert(held.top());
      held.pop();
    }
  }

  /// A chain of tasks of no time may be as long as the graph: no recursion.
  void release_instant() {
    if (releasing_) return;
    releasing_ = true;
    while (!instant_.empty()) {
      const std::uint32_t task = instant_.back();
      instant_.pop_back();
      release(task);
    }
    releasing_ = false;
  }

  void release(std::uint32_t task) {
    const std::uint32_t* const end = all_.next_.data() + all_.first_[task + 1];
    std::uint8_t* const waits = waits_.data();  // a byte may be anything: nothing is read again
    for (const std::uint32_t* next = all_.next_.data() + all_.first_[task]; next != end; ++next) {
      if (--waits[*next] == 0 && !waits_for_more(*next)) arrive(*next);
    }
  }

  /// Counts the next few of many edges.
  bool waits_for_more(std::uint32_t task) {
    if (more_waits_.empty()) return false;
    const auto more = more_waits_.find(task);
    if (more == more_waits_.end() || more->second == 0) return false;
    waits_[task] = take_byte(more->second);
    return true;
  }

  void start(std::uint32_t task) {
    running_.push({now_ + all_.times_[task], task});
    if (placed_ != nullptr) placement(task) = {now_, idle_.pop()};
  }

  void finish(std::uint32_t task) {
    if (placed_ != nullptr) idle_.insert(placement(task).worker);
    if (const std::uint16_t pool = pool_of(task); pool != 0) {
      --used_[pool - 1];
      fill(pool);
    }
    release(task);
  }

  const GreedyScheduler& all_;
  const TaskGraph& graph_;
  std::vector<std::uint8_t> waits_;
  std::unordered_map<std::uint32_t, std::uint32_t> more_waits_;
  ReadyQueue ready_;
  std::uint32_t workers_;
  double cores_;
  ReadyQueue idle_;
  std::vector<TaskPlacement>* placed_;
  std::vector<std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>> held_;
  std::vector<int> used_;
  std::vector<std::uint32_t> instant_;
  bool releasing_ = false;
  EventQueue<TaskEnd> running_;
  double now_ = 0;
  double shared_ = 0;  ///< by how much the clock is behind, because cores are shared
};

GreedyScheduler::GreedyScheduler(const TaskGraph& graph, std::vector<std::uint32_t> order)
    : graph_(graph), order_(std::move(order)) {
  std::vector<std::uint32_t> rank(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
  times_.reserve(order_.size());
  first_.reserve(order_.size() + 1);
  first_.push_back(0);
  next_.reserve(graph_.edges());
  costs_.reserve(graph_.costs.size());
  std::vector<std::uint32_t> waits(order_.size(), 0);
  for (const std::uint32_t task : order_) {
    times_.push_back(graph_.times[task]);
    for (std::uint32_t e = graph_.first[task]; e < graph_.first[task + 1]; ++e) {
      next_.push_back(rank[graph_.next[e]]);
      if (!graph_.costs.empty()) costs_.push_back(graph_.costs[e]);
      ++waits[next_.back()];
    }
    first_.push_back(static_cast<std::uint32_t>(next_.size()));
  }
  first_waits_.resize(order_.size());
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    first_waits_[i] = take_byte(waits[i]);
    if (waits[i] > 0) more_waits_[i] = waits[i];
  }
}

GreedyRun run_with_costs(const GreedyScheduler& all, double workers,
                         std::vector<TaskPlacement>* placed);

GreedyRun GreedyScheduler::run(double workers, std::vector<TaskPlacement>* placed,
                               double cores) const {
  if (!graph_.costs.empty()) return run_with_costs(*this, workers, placed);
  return PlainRun(*this, workers, placed, cores).run();
}

}  // namespace kstar::dag
