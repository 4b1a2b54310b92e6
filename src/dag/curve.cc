#include "dag/curve.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "dag/widths.h"

namespace kstar::dag {

namespace {

/// Times that differ by rounding alone are the same.
constexpr double kSame = 1 + 1e-9;

}  // namespace

GreedyCurve::GreedyCurve(const TaskGraph& graph, Levels levels, Priority priority)
    : graph_(graph),
      levels_(std::move(levels)),
      scheduler_(graph, task_order(graph, levels_, priority)),
      work_(std::accumulate(graph.times.begin(), graph.times.end(), 0.0)),
      path_cost_(largest_path_cost(graph, levels_.order)),
      pool_work_(graph.costs.empty() ? graph.pools.size() : 0, 0) {
  for (std::size_t i = 0; i < graph.pool_of.size() && !pool_work_.empty(); ++i) {
    if (graph.pool_of[i] != 0) pool_work_[graph.pool_of[i] - 1] += graph.times[i];
  }
}

double GreedyCurve::least(double workers) const {
  double least = std::max(work_ / workers, levels_.depth);
  for (std::size_t i = 0; i < pool_work_.size(); ++i) {
    least = std::max(least, pool_work_[i] / graph_.pools[i].depth);
  }
  return least;
}

double GreedyCurve::most(double workers) const {
  if (workers <= 1) return work_;
  double most = work_ / workers + levels_.depth * (workers - 1) / workers + path_cost_;
  for (std::size_t i = 0; i < pool_work_.size(); ++i) {
    if (graph_.pools[i].depth < workers) most += pool_work_[i] / graph_.pools[i].depth;
  }
  return std::min(most, work_ + path_cost_);  // something runs or is on its way at any time
}

void GreedyCurve::compute(std::span<const double> workers) {
  std::vector<double> missing;
  for (const double k : workers) {
    if (k == 1) times_[1] = work_;
    if (times_.count(k) == 0) missing.push_back(k);
  }
  std::vector<GreedyRun> found(missing.size());
  std::atomic<double> enough = enough_.used;
  std::atomic<std::size_t> taken = 0;
  const auto take = [&] {
    for (std::size_t i = taken++; i < missing.size(); i = taken++) {
      if (missing[i] >= enough) continue;
      found[i] = scheduler_.try_on(missing[i]);
      if (found[i].used < missing[i]) enough = found[i].used;
    }
  };
  constexpr std::size_t kWorthThreads = 20'000;
  const std::size_t threads =
      graph_.size() + graph_.edges() < kWorthThreads
          ? 1
          : std::min<std::size_t>({std::thread::hardware_concurrency(), missing.size(), 8});
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(take);
  take();
  for (std::thread& helper : helpers) helper.join();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (found[i].used > 0 && found[i].used < missing[i]) enough_ = found[i];
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    times_[missing[i]] = found[i].used > 0 ? found[i].time : enough_.time;
  }
}

double GreedyCurve::time(double workers) {
  compute({&workers, 1});
  return times_.at(workers);
}

SchedulePoint GreedyCurve::point(double workers) {
  SchedulePoint point{.workers = workers,
                      .time = time(workers),
                      .least = least(workers),
                      .most = std::max(most(workers), time(workers))};
  point.speedup = work_ / point.time;
  point.efficiency = point.speedup / workers;
  return point;
}

std::size_t GreedyCurve::affordable() const {
  constexpr double kTasksAndEdges = 5e7;  // some seconds
  constexpr double kWithCosts = 4;        // times as long
  const double size =
      (static_cast<double>(graph_.size()) * 4 + static_cast<double>(graph_.edges())) *
      (graph_.costs.empty() ? 1 : kWithCosts);
  return static_cast<std::size_t>(std::clamp(kTasksAndEdges / std::max(size, 1.0), 6.0, 2000.0));
}

std::vector<double> GreedyCurve::doubling() {
  const auto tasks = static_cast<double>(std::max<std::size_t>(graph_.size(), 1));
  const double limit =
      graph_.costs.empty() && pool_work_.empty() ? 2 * work_ / levels_.depth : tasks;
  std::vector<double> workers;
  for (double k = 1; k <= std::min(tasks, std::max(limit, 2.0)); k *= 2) workers.push_back(k);
  if (workers.empty()) workers.push_back(1);
  if (workers.size() > affordable()) {  // every other one, and the last
    std::vector<double> fewer;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (i % 2 == (workers.size() - 1) % 2 || i == 0) fewer.push_back(workers[i]);
    }
    workers = std::move(fewer);
  }
  compute(workers);
  // What is beyond the least time adds nothing.
  const auto done = std::find_if(workers.begin(), workers.end(), [&](double k) {
    return k >= enough_.used || (graph_.costs.empty() && times_.at(k) <= least(tasks) * kSame);
  });
  if (done != workers.end()) workers.erase(done + 1, workers.end());
  return workers;
}

std::vector<double> GreedyCurve::spread(double last) {
  const auto tasks = static_cast<double>(std::max<std::size_t>(graph_.size(), 1));
  constexpr double kEvery = 64, kStep = 1.25;
  std::vector<double> workers;
  for (double k = 1; k <= std::min(last, tasks); k = k < kEvery ? k + 1 : std::floor(k * kStep)) {
    workers.push_back(k);
  }
  const auto missing =
      std::count_if(workers.begin(), workers.end(), [&](double k) { return times_.count(k) == 0; });
  if (static_cast<std::size_t>(missing) <= affordable()) {
    compute(workers);
  } else {
    workers.clear();  // those that are known already
  }
  if (!workers.empty()) return workers;
  for (const auto& [k, time_of_k] : times_) {
    if (k <= last) workers.push_back(k);
  }
  return workers;
}

// E = W/(K T): what is efficient takes at most W/(e K).
bool GreedyCurve::is_efficient(double workers, double time, double threshold) const {
  return work_ * kSame >= threshold * workers * time;
}

double GreedyCurve::best_of_known(double threshold) const {
  double best = 1, least = work_;
  for (const auto& [k, time] : times_) {  // from the smallest K on: of equal times it stays
    if (is_efficient(k, time, threshold) && time * kSame < least) {
      best = k;
      least = time;
    }
  }
  return best;
}

double GreedyCurve::width() {
  if (width_ > 0) return width_;
  const std::vector<double>& starts = levels_.earliest;
  std::vector<double> ends(starts.size());
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = starts[i] + graph_.times[i];
  return width_ = most_at_a_time(starts, ends);
}

void GreedyCurve::try_some(double low, double high) {
  const double widest = width();
  std::vector<double> workers = {low, high};
  const std::size_t some = std::max<std::size_t>(affordable() / 4, 4);
  for (double part = 1; workers.size() < some && std::ceil(widest / part) >= low; ++part) {
    if (const double k = std::ceil(widest / part); k <= high) workers.push_back(k);
  }
  const double step = std::pow(high / low, 1 / static_cast<double>(some));
  for (double k = low * step; k < high && step > 1; k *= step) workers.push_back(std::floor(k));
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  compute(workers);
}

double GreedyCurve::near_enough() const {
  constexpr double kNearEnough = 0.02;  // of a graph that takes seconds to schedule
  constexpr std::size_t kLarge = 20;
  return affordable() < kLarge ? kNearEnough : 0;
}

double GreedyCurve::least_reached() const {
  const double bound = least(static_cast<double>(graph_.size())) * kSame;
  const auto reached = std::find_if(times_.begin(), times_.end(),
                                    [&](const auto& known) { return known.second <= bound; });
  return reached == times_.end() ? std::numeric_limits<double>::infinity() : reached->first;
}

double GreedyCurve::refined(double low, double high, double threshold) {
  const double near = near_enough();
  // More workers than the best known, up to the next that is known not to be better.
  double good = best_of_known(threshold);
  const auto above = times_.upper_bound(good);
  double bad = above == times_.end() ? high + 1 : std::min(above->first, high + 1);
  while (bad - good > std::max(1.0, near * good)) {
    const double middle = std::floor((good + bad) / 2);
    (is_efficient(middle, time(middle), threshold) ? good : bad) = middle;
  }
  // Fewer workers that take as long.
  good = best_of_known(threshold);
  const auto at = times_.find(good);
  bad = at == times_.begin() ? low : std::max(low - 1, std::prev(at)->first);
  while (good - bad > std::max(1.0, near * good)) {
    const double middle = std::floor((good + bad) / 2);
    (time(middle) <= time(good) * kSame ? good : bad) = middle;
  }
  return best_of_known(threshold);
}

// E need not fall steadily, nor T: all K are tried that can be efficient and faster than what is
// known. With every T at most `most` and at least `least`
//   K <= low is efficient:  W >= e (W + D (K - 1) + K C)
//   K > high is not:        W <  e K D
// and a K that is faster than T needs K > W/T. No K is better than one that takes the depth, but
// for fewer workers.
WorkersChoice GreedyCurve::choose(double threshold) {
  WorkersChoice choice;
  const auto tasks = static_cast<double>(std::count_if(graph_.times.begin(), graph_.times.end(),
                                                       [](double time) { return time > 0; }));
  const auto last = [&](const auto& bound) {
    double low = 1, high = std::min(tasks, std::floor(work_ / levels_.depth / threshold) + 1) + 1;
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (is_efficient(middle, bound(middle), threshold) ? low : high) = middle;
    }
    return low;
  };
  const auto needed = [&](double time) { return std::max(1.0, std::ceil(work_ / time / kSame)); };
  const double efficient = last([&](double k) { return most(k); });
  choice.high = last([&](double k) { return least(k); });
  choice.low = std::min(needed(most(efficient)), efficient);
  time(1);
  time(efficient);
  std::vector<double> all;
  const double from = needed(time(best_of_known(threshold)));
  const double to = std::min(choice.high, least_reached());
  for (double k = from; k <= to && all.size() <= affordable() / 2; ++k) all.push_back(k);
  if (all.size() <= affordable() / 2) {
    compute(all);
    choice.workers = best_of_known(threshold);
  } else {
    choice.exact = false;
    if (to > from * (1 + near_enough())) try_some(from, to);
    choice.workers = refined(from, to, threshold);
  }
  choice.point = point(choice.workers);
  choice.twice = point(2 * choice.workers);
  return choice;
}

SchedulePoint GreedyCurve::fastest() {
  double best = 1;
  time(best);
  for (const auto& [k, time_of_k] : times_) {
    if (time_of_k * kSame < times_.at(best)) best = k;
  }
  return point(best);
}

}  // namespace kstar::dag
