#include <algorithm>
#include <cmath>
#include <queue>

#include "dag/event_queue.h"
#include "dag/ready_queue.h"
#include "dag/schedule.h"

// An edge costs its time only between two workers. Of all workers one may be better for a task than
// the others: its home, where the task would arrive last that comes from elsewhere. So a task is
// ready at home at one moment, and everywhere at a later one.
namespace kstar::dag {

namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
constexpr double kRounding = 1e-12;

using RankQueue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

enum class CostEventKind : std::uint8_t { kEnd, kAtHome, kEverywhere };

struct CostEvent {
  double time;
  std::uint32_t task;
  CostEventKind kind;
};

/// What has come so far of all that a task waits for. Ends come in the order of time: the last one
/// of a worker is the latest of it, and who becomes home has the latest of all.
struct alignas(32) Arrivals {
  double last = 0;       ///< when all is everywhere
  double elsewhere = 0;  ///< when all that does not come from home is
  double home_end = 0;   ///< when all that comes from home is there
  std::uint32_t home = kNowhere;
  std::uint32_t waits = 0;  ///< how many are still to come

  void add(double end, double cost, std::uint32_t worker) {
    if (worker == home) {
      home_end = std::max(home_end, end);
      last = std::max(last, end + cost);
    } else if (home == kNowhere || end + cost > last) {
      elsewhere = last;
      last = end + cost;
      home_end = end;
      home = worker;
    } else {
      elsewhere = std::max(elsewhere, end + cost);
    }
  }
  double at_home() const { return std::max(elsewhere, home_end); }
};

}  // namespace

/// Tasks are their ranks here.
class CostRun {
 public:
  CostRun(const GreedyScheduler& all, double workers, std::vector<TaskPlacement>* placed)
      : all_(all),
        size_(all.graph_.size()),
        workers_(static_cast<std::uint32_t>(
            std::clamp(workers, 1.0, static_cast<double>(std::max<std::size_t>(1, size_))))),
        arrivals_(size_),
        worker_(size_, kNowhere),
        everywhere_(size_),
        offers_(size_),
        idle_(workers_),
        at_home_(workers_),
        placed_(placed) {
    if (placed_ != nullptr) placed_->assign(size_, {});
    for (std::uint32_t worker = 0; worker < workers_; ++worker) idle_.insert(worker);
    for (std::uint32_t task = 0; task < size_; ++task) {
      arrivals_[task].waits = all_.first_waits_[task];
    }
    for (const auto& [task, more] : all_.more_waits_) arrivals_[task].waits += more;
  }

  GreedyRun run() {
    for (std::uint32_t task = 0; task < size_; ++task) {
      if (arrivals_[task].waits == 0) everywhere_.insert(task);
    }
    for (;;) {
      dispatch();
      now_ = events_.time();
      if (std::isinf(now_)) return {last_, static_cast<double>(used_)};
      const double moment = now_ * (1 + kRounding);
      while (events_.time() <= moment) take(events_.take());
    }
  }

 private:
  void take(const CostEvent& event) {
    switch (event.kind) {
      case CostEventKind::kEnd:
        return finish(event);
      case CostEventKind::kAtHome:
        return come_home(event.task);
      case CostEventKind::kEverywhere:
        if (!is_started(event.task)) everywhere_.insert(event.task);
    }
  }

  bool is_started(std::uint32_t task) const { return worker_[task] != kNowhere; }
  std::uint32_t home_of(std::uint32_t task) const { return arrivals_[task].home; }

  void come_home(std::uint32_t task) {
    at_home_[home_of(task)].push(task);
    offer(home_of(task));
  }

  /// An idle worker's best task of those that are at home there.
  void offer(std::uint32_t worker) {
    if (!idle_.contains(worker)) return;
    RankQueue& own = at_home_[worker];
    while (!own.empty() && is_started(own.top())) own.pop();
    if (!own.empty()) offers_.insert(own.top());
  }

  void dispatch() {
    while (!idle_.empty()) {
      while (!offers_.empty() && !is_open(offers_.front())) offer(home_of(offers_.pop()));
      const bool home = !offers_.empty();
      const bool anywhere = !everywhere_.empty();
      if (!home && !anywhere) return;
      if (home && (!anywhere || offers_.front() <= everywhere_.front())) {
        start(offers_.front(), home_of(offers_.front()));
      } else {
        const std::uint32_t task = everywhere_.front();
        const std::uint32_t own = home_of(task);
        start(task, own != kNowhere && idle_.contains(own) ? own : idle_.front());
      }
    }
  }

  /// Neither the task nor the worker has been taken meanwhile.
  bool is_open(std::uint32_t task) const {
    return !is_started(task) && idle_.contains(home_of(task));
  }

  void start(std::uint32_t task, std::uint32_t worker) {
    everywhere_.erase(task);
    idle_.erase(worker);
    worker_[task] = worker;
    const double end = now_ + all_.times_[task];
    last_ = std::max(last_, end);
    if (placed_ != nullptr) (*placed_)[all_.order_[task]] = {now_, worker};
    events_.push({end, task, CostEventKind::kEnd});
    used_ = std::max(used_, ++busy_);
    fetch_edges_of(task);
  }

  void finish(const CostEvent& done) {
    const std::uint32_t worker = worker_[done.task];
    idle_.insert(worker);
    offer(worker);
    --busy_;
    fetch_next_of(done.task);
    for (std::uint32_t e = all_.first_[done.task]; e < all_.first_[done.task + 1]; ++e) {
      Arrivals& arrivals = arrivals_[all_.next_[e]];
      arrivals.add(done.time, all_.costs_[e], worker);
      if (--arrivals.waits == 0) arrive(all_.next_[e]);
    }
  }

  /// Much of the time would be spent waiting for memory: what the end of a task reads is asked for
  /// at its start, and all that waits for it at once.
  void fetch_edges_of(std::uint32_t task) const {
    constexpr std::uint32_t kLine = 64 / sizeof(double);
    for (std::uint32_t e = all_.first_[task]; e < all_.first_[task + 1]; e += kLine) {
      __builtin_prefetch(&all_.next_[e]);
      __builtin_prefetch(&all_.costs_[e]);
    }
  }
  void fetch_next_of(std::uint32_t task) const {
    for (std::uint32_t e = all_.first_[task]; e < all_.first_[task + 1]; ++e) {
      __builtin_prefetch(&arrivals_[all_.next_[e]], 1);
    }
  }

  /// All that the task waits for is done, somewhere.
  void arrive(std::uint32_t task) {
    Arrivals& arrivals = arrivals_[task];
    const double at_home = arrivals.at_home();
    if (at_home < arrivals.last) {
      events_.push({std::max(at_home, now_), task, CostEventKind::kAtHome});
    } else {
      arrivals.home = kNowhere;
    }
    events_.push({std::max(arrivals.last, now_), task, CostEventKind::kEverywhere});
  }

  const GreedyScheduler& all_;
  std::size_t size_;
  std::uint32_t workers_;
  std::vector<Arrivals> arrivals_;
  std::vector<std::uint32_t> worker_;
  ReadyQueue everywhere_, offers_, idle_;
  std::vector<RankQueue> at_home_;  ///< by worker
  EventQueue<CostEvent> events_;
  std::vector<TaskPlacement>* placed_;
  std::uint32_t busy_ = 0, used_ = 0;
  double now_ = 0, last_ = 0;
};

GreedyRun run_with_costs(const GreedyScheduler& all, double workers,
                         std::vector<TaskPlacement>* placed) {
  return CostRun(all, workers, placed).run();
}

}  // namespace kstar::dag
