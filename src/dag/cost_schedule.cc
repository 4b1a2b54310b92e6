#include <algorithm>
#include <queue>
#include <set>

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

}  // namespace

enum class CostEventKind : std::uint8_t { kEnd, kAtHome, kEverywhere };

struct CostEvent {
  double time;
  std::uint32_t task;
  CostEventKind kind;
  bool operator>(const CostEvent& other) const {
    return time != other.time ? time > other.time : task > other.task;
  }
};

class CostRun {
 public:
  CostRun(const GreedyScheduler& all, double workers, std::vector<TaskPlacement>* placed)
      : all_(all),
        graph_(all.graph_),
        workers_(static_cast<std::uint32_t>(std::clamp(
            workers, 1.0, static_cast<double>(std::max<std::size_t>(1, graph_.size()))))),
        waits_(all.waits_),
        end_(graph_.size(), 0),
        worker_(graph_.size(), kNowhere),
        home_(graph_.size(), kNowhere),
        started_(graph_.size(), false),
        everywhere_(graph_.size()),
        idle_(workers_),
        at_home_(workers_),
        placed_(placed) {
    if (placed_ != nullptr) placed_->assign(graph_.size(), {});
    for (std::uint32_t worker = 0; worker < workers_; ++worker) idle_.insert(worker);
  }

  double run() {
    for (std::uint32_t task = 0; task < graph_.size(); ++task) {
      if (waits_[task] == 0) everywhere_.insert(all_.rank_[task]);
    }
    for (;;) {
      dispatch();
      if (events_.empty()) return last_;
      now_ = events_.top().time;
      const double moment = now_ * (1 + kRounding);
      while (!events_.empty() && events_.top().time <= moment) {
        const CostEvent event = events_.top();
        events_.pop();
        take(event);
      }
    }
  }

 private:
  void take(const CostEvent& event) {
    const std::uint32_t rank = all_.rank_[event.task];
    switch (event.kind) {
      case CostEventKind::kEnd:
        return finish(event.task);
      case CostEventKind::kAtHome:
        at_home_[home_[event.task]].push(rank);
        return offer(home_[event.task]);
      case CostEventKind::kEverywhere:
        if (!started_[event.task]) everywhere_.insert(rank);
    }
  }

  /// An idle worker's best task of those that are at home there.
  void offer(std::uint32_t worker) {
    if (!idle_.contains(worker)) return;
    RankQueue& own = at_home_[worker];
    while (!own.empty() && started_[all_.order_[own.top()]]) own.pop();
    if (!own.empty()) offers_.insert({own.top(), worker});
  }

  void dispatch() {
    while (!idle_.empty()) {
      while (!offers_.empty() && !is_open(*offers_.begin())) {
        const std::uint32_t worker = offers_.begin()->second;
        offers_.erase(offers_.begin());
        offer(worker);
      }
      const bool home = !offers_.empty();
      const bool anywhere = !everywhere_.empty();
      if (!home && !anywhere) return;
      if (home && (!anywhere || offers_.begin()->first <= everywhere_.front())) {
        start(all_.order_[offers_.begin()->first], offers_.begin()->second);
      } else {
        const std::uint32_t task = all_.order_[everywhere_.front()];
        const std::uint32_t own = home_[task];
        start(task, own != kNowhere && idle_.contains(own) ? own : idle_.front());
      }
    }
  }

  /// Neither the task nor the worker has been taken meanwhile.
  bool is_open(const std::pair<std::uint32_t, std::uint32_t>& offer) const {
    return !started_[all_.order_[offer.first]] && idle_.contains(offer.second);
  }

  void start(std::uint32_t task, std::uint32_t worker) {
    started_[task] = true;
    everywhere_.erase(all_.rank_[task]);
    idle_.erase(worker);
    worker_[task] = worker;
    end_[task] = now_ + graph_.times[task];
    last_ = std::max(last_, end_[task]);
    if (placed_ != nullptr) (*placed_)[task] = {now_, worker};
    events_.push({end_[task], task, CostEventKind::kEnd});
  }

  void finish(std::uint32_t task) {
    idle_.insert(worker_[task]);
    offer(worker_[task]);
    for (std::uint32_t e = graph_.first[task]; e < graph_.first[task + 1]; ++e) {
      if (--waits_[graph_.next[e]] == 0) arrive(graph_.next[e]);
    }
  }

  /// All that the task waits for is done, somewhere.
  void arrive(std::uint32_t task) {
    double latest = 0;
    std::uint32_t home = kNowhere;
    for_each_before(task, [&](std::uint32_t before, double cost) {
      const double there = end_[before] + cost;
      if (home == kNowhere || there > latest) {
        latest = there;
        home = worker_[before];
      }
    });
    double at_home = 0;
    for_each_before(task, [&](std::uint32_t before, double cost) {
      at_home = std::max(at_home, end_[before] + (worker_[before] == home ? 0 : cost));
    });
    if (at_home < latest) {
      home_[task] = home;
      events_.push({std::max(at_home, now_), task, CostEventKind::kAtHome});
    }
    events_.push({std::max(latest, now_), task, CostEventKind::kEverywhere});
  }

  template <typename Visit>
  void for_each_before(std::uint32_t task, const Visit& visit) const {
    for (std::uint32_t i = all_.before_first_[task]; i < all_.before_first_[task + 1]; ++i) {
      visit(all_.before_[i], graph_.costs[all_.before_edge_[i]]);
    }
  }

  const GreedyScheduler& all_;
  const TaskGraph& graph_;
  std::uint32_t workers_;
  std::vector<std::uint32_t> waits_;
  std::vector<double> end_;
  std::vector<std::uint32_t> worker_, home_;
  std::vector<bool> started_;
  ReadyQueue everywhere_, idle_;
  std::vector<RankQueue> at_home_;                            ///< by worker
  std::set<std::pair<std::uint32_t, std::uint32_t>> offers_;  ///< rank and idle worker
  std::priority_queue<CostEvent, std::vector<CostEvent>, std::greater<>> events_;
  std::vector<TaskPlacement>* placed_;
  double now_ = 0, last_ = 0;
};

double run_with_costs(const GreedyScheduler& all, double workers,
                      std::vector<TaskPlacement>* placed) {
  return CostRun(all, workers, placed).run();
}

}  // namespace kstar::dag
