#include "kstar/plan_fleet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "plan/goals.h"

namespace kstar {

namespace {

constexpr double kHourSeconds = 3600;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Every worker adds at most what the one before did.
bool is_concave(const std::vector<double>& values) {
  for (std::size_t n = 2; n < values.size(); ++n) {
    const double before = values[n - 1] - values[n - 2], here = values[n] - values[n - 1];
    if (here > before + 1e-12 * std::fabs(values[n])) return false;
  }
  return true;
}

/// To which class every worker goes where marginal values fall: the best first.
std::vector<std::size_t> greedy_order(const std::vector<std::vector<double>>& values,
                                      const std::vector<std::size_t>& classes,
                                      std::size_t workers) {
  std::priority_queue<std::pair<double, std::size_t>> gains;
  std::vector<std::size_t> given(values.size());
  for (const std::size_t i : classes) gains.emplace(values[i][1] - values[i][0], i);
  std::vector<std::size_t> order;
  while (order.size() < workers && !gains.empty() && gains.top().first > 0) {
    const std::size_t best = gains.top().second;
    gains.pop();
    order.push_back(best);
    const std::size_t n = ++given[best];
    if (n < workers) gains.emplace(values[best][n + 1] - values[best][n], best);
  }
  return order;
}

/// f_i(x) = max over n of f_(i-1)(x - n) + v_i(n); `choices` are the n.
class Programming {
 public:
  explicit Programming(std::size_t workers) : best_(workers + 1) {}

  void add(const std::vector<double>& values) {
    std::size_t last = best_.size() - 1;  // more workers than that add nothing
    while (last > 0 && values[last] <= values[last - 1]) --last;
    std::vector<double> next(best_);
    std::vector<std::size_t> choice(best_.size());
    for (std::size_t n = 1; n <= last; ++n) {
      if (values[n] <= values[n - 1]) continue;  // one worker fewer does as much
      for (std::size_t x = n; x < best_.size(); ++x) {
        const double value = best_[x - n] + values[n];
        if (value <= next[x]) continue;
        next[x] = value;
        choice[x] = n;
      }
    }
    best_ = std::move(next);
    choices_.push_back(std::move(choice));
  }

  double best(std::size_t workers) const { return best_[workers]; }

  /// Of every class added, in order.
  std::vector<std::size_t> split(std::size_t workers) const {
    std::vector<std::size_t> all(choices_.size());
    for (std::size_t i = choices_.size(); i-- > 0;) {
      all[i] = choices_[i][workers];
      workers -= all[i];
    }
    return all;
  }

 private:
  std::vector<double> best_;
  std::vector<std::vector<std::size_t>> choices_;
};

/// The least workers with which a class ends in time; more than there are where none do.
std::size_t workers_for(const std::vector<double>& hours, double limit) {
  const auto found = std::lower_bound(hours.begin(), hours.end(), limit,
                                      [](double time, double wanted) { return time > wanted; });
  return static_cast<std::size_t>(found - hours.begin());
}

/// The earliest end of all: a bisection over the times that occur.
std::vector<std::size_t> earliest_split(const std::vector<std::vector<double>>& hours,
                                        std::size_t workers) {
  std::vector<double> times;
  for (const auto& one : hours) times.insert(times.end(), one.begin(), one.end());
  std::sort(times.begin(), times.end());
  const auto split_for = [&](double limit) {
    std::vector<std::size_t> split;
    for (const auto& one : hours) split.push_back(workers_for(one, limit));
    return split;
  };
  const auto enough = [&](double limit) {
    const std::vector<std::size_t> split = split_for(limit);
    return std::accumulate(split.begin(), split.end(), std::size_t{0}) <= workers;
  };
  const auto found = std::partition_point(times.begin(), times.end(),
                                          [&](double limit) { return !enough(limit); });
  if (found == times.end()) return std::vector<std::size_t>(hours.size());
  return split_for(*found);
}

double total_of(const std::vector<std::vector<double>>& values,
                const std::vector<std::size_t>& split) {
  double total = 0;
  for (std::size_t i = 0; i < split.size(); ++i) total += values[i][split[i]];
  return total;
}

double latest_of(const std::vector<std::vector<double>>& hours,
                 const std::vector<std::size_t>& split) {
  double latest = 0;
  for (std::size_t i = 0; i < split.size(); ++i) latest = std::max(latest, hours[i][split[i]]);
  return latest;
}

double rate_at(const FleetClass& one, std::size_t workers) {
  return workers == 0 ? 0 : one.rate[std::min(workers, one.rate.size()) - 1];
}

/// How many jobs at once give the most with so many workers, and that.
std::pair<std::size_t, double> best_at_once(const FleetClass& one, std::size_t workers) {
  std::pair<std::size_t, double> best{0, 0};
  for (std::size_t jobs = 1; jobs <= std::min(one.jobs, workers); ++jobs) {
    const std::size_t each = workers / jobs, more = workers % jobs;
    const double rate = static_cast<double>(more) * rate_at(one, each + 1) +
                        static_cast<double>(jobs - more) * rate_at(one, each);
    if (rate > best.second) best = {jobs, rate};
  }
  return best;
}

}  // namespace

std::vector<double> rates_of(const PlanJob& job, std::size_t most) {
  std::vector<double> rates(most);
  double best = 0;
  std::size_t at = 0;
  for (std::size_t n = 1; n <= most; ++n) {
    while (at < job.workers.size() && job.workers[at] <= static_cast<double>(n)) {
      best = std::max(best, kHourSeconds * job.work[at] / planning::middle_time(job, at));
      ++at;
    }
    rates[n - 1] = best;
  }
  return rates;
}

std::vector<double> values_of(const FleetClass& one, std::size_t most) {
  std::vector<double> values(most + 1);
  for (std::size_t n = 1; n <= most; ++n) {
    values[n] = std::max(values[n - 1], one.value * best_at_once(one, n).second);
  }
  return values;
}

std::vector<double> hours_of(const FleetClass& one, std::size_t most) {
  std::vector<double> hours(most + 1, kInfinite);
  for (std::size_t n = 1; n <= most; ++n) {
    hours[n] = hours[n - 1];
    for (std::size_t at_once = 1; at_once <= std::min(one.jobs, n); ++at_once) {
      const double rate = rate_at(one, n / at_once);
      if (rate <= 0) continue;
      const auto waves = static_cast<double>((one.jobs + at_once - 1) / at_once);
      hours[n] = std::min(hours[n], waves / rate);
    }
  }
  return hours;
}

std::vector<std::size_t> best_split(const std::vector<std::vector<double>>& values,
                                    std::size_t workers) {
  std::vector<std::size_t> concave, others;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (is_concave(values[i]) ? concave : others).push_back(i);
  }
  Programming programming(workers);
  for (const std::size_t i : others) programming.add(values[i]);
  const std::vector<std::size_t> order = greedy_order(values, concave, workers);
  // How many workers the greedy classes get: all that the others leave.
  std::vector<std::size_t> given(values.size());
  double greedy = 0, best = programming.best(workers);
  std::size_t best_taken = 0;
  for (std::size_t taken = 1; taken <= order.size(); ++taken) {
    const std::size_t to = order[taken - 1];
    greedy += values[to][given[to] + 1] - values[to][given[to]];
    ++given[to];
    const double value = greedy + programming.best(workers - taken);
    if (value <= best) continue;
    best = value;
    best_taken = taken;
  }
  std::vector<std::size_t> split(values.size());
  for (std::size_t i = 0; i < best_taken; ++i) ++split[order[i]];
  const std::vector<std::size_t> rest = programming.split(workers - best_taken);
  for (std::size_t i = 0; i < others.size(); ++i) split[others[i]] = rest[i];
  return split;
}

Fleet split_fleet(std::span<const FleetClass> classes, std::size_t workers, FleetGoal goal) {
  std::vector<std::vector<double>> values, hours;
  for (const FleetClass& one : classes) {
    values.push_back(values_of(one, workers));
    hours.push_back(hours_of(one, workers));
  }
  const std::vector<std::size_t> split =
      goal == FleetGoal::kValue ? best_split(values, workers) : earliest_split(hours, workers);
  Fleet fleet{.goal = goal, .workers = workers};
  fleet.unused = workers;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const std::size_t n = split[i];
    FleetShare share{.name = classes[i].name, .workers = n};
    share.at_once = best_at_once(classes[i], n).first;
    share.value = values[i][n];
    share.hours = hours[i][n];
    share.last = n > 0 ? values[i][n] - values[i][n - 1] : 0;
    share.next = n < workers ? values[i][n + 1] - values[i][n] : 0;
    fleet.shares.push_back(std::move(share));
    fleet.unused -= n;
  }
  const std::vector<std::size_t> even(split.size(),
                                      workers / std::max<std::size_t>(1, split.size()));
  fleet.value = total_of(values, split);
  fleet.hours = latest_of(hours, split);
  fleet.even_value = total_of(values, even);
  fleet.even_hours = latest_of(hours, even);
  return fleet;
}

}  // namespace kstar
