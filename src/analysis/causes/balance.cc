#include "analysis/causes/balance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "analysis/causes/factors.h"
#include "analysis/causes/noise_floor.h"

namespace kstar::causes {

namespace {

/// The logarithms of values, less their mean.
std::vector<double> centred_logs(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const double mean = mean_of(logs);
  for (double& log : logs) log -= mean;
  return logs;
}

/// What one run says about a candidate.
struct Sight {
  double ahead = 0;  ///< logarithm of its time over that of the others' median
  double error = 0;  ///< what chance gives it, in standard deviations of one worker
  double step = 0;   ///< seconds of useful time a step, of the others' median
};

/// The places of a run that are the candidate's.
struct Candidate {
  std::optional<int> worker;
  std::string host;
  std::vector<Sight> sights;
  std::set<int> seen_at;  ///< K
};

/// The median of sorted values but the one at `left_out`; of at least two.
double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - 1;
  const auto at = [&](std::size_t place) { return sorted[place < left_out ? place : place + 1]; };
  return (at((count - 1) / 2) + at(count / 2)) / 2;
}

/// A median scatters more than a mean, by a factor of pi / 2 in variance.
double error_of(std::size_t mine, std::size_t others) {
  const double median = others > 2 ? std::numbers::pi / 2 : 1;
  return std::sqrt(1 / static_cast<double>(mine) + median / static_cast<double>(others));
}

using Workers = std::map<int, Candidate>;
using Hosts = std::map<std::string, Candidate>;

void see_workers(const WorkerTimes& run, const std::vector<double>& logs, Workers& workers) {
  std::vector<double> sorted = logs;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), logs[i]) - sorted.begin();
    const double middle = median_without(sorted, static_cast<std::size_t>(rank));
    Candidate& one = workers[run.worker_at(i)];
    one.worker = run.worker_at(i);
    one.host = run.host_at(i);
    one.seen_at.insert(run.run->workers);
    one.sights.push_back(
        {logs[i] - middle, error_of(1, logs.size() - 1), std::exp(middle) / run.steps});
  }
}

/// Those of several workers, where there are others.
void see_hosts(const WorkerTimes& run, const std::vector<double>& logs, Hosts& hosts) {
  std::map<std::string, std::vector<double>> by_host;
  for (std::size_t i = 0; i < logs.size(); ++i) by_host[run.host_at(i)].push_back(logs[i]);
  for (const auto& [name, mine] : by_host) {
    if (name.empty() || mine.size() < 2 || by_host.size() < 2) continue;
    std::vector<double> others;
    for (const auto& [other, values] : by_host) {
      if (other != name) others.insert(others.end(), values.begin(), values.end());
    }
    const double middle = median_of(others);
    hosts[name].host = name;
    hosts[name].seen_at.insert(run.run->workers);
    hosts[name].sights.push_back({mean_of(mine) - middle, error_of(mine.size(), others.size()),
                                  std::exp(middle) / run.steps});
  }
}

/// The standard deviation of one worker's logarithm within its run, from medians: one slow worker,
/// or one bad run, must not hide itself in it.
double usual_deviation(const Workers& workers) {
  constexpr double kNormal = 1.4826;  // of a normal distribution, over its median deviation
  constexpr double kQuietest = 1e-4;  // clocks and rounding alone make this much
  std::vector<double> deviations;
  for (const auto& [worker, one] : workers) {
    for (const Sight& sight : one.sights) {
      deviations.push_back(std::fabs(sight.ahead) / sight.error);
    }
  }
  return std::max(kNormal * median_of(deviations), kQuietest);
}

std::vector<Candidate> late_candidates(const std::vector<const WorkerTimes*>& runs,
                                       const WorkSlope& work) {
  Workers workers;
  Hosts hosts;
  for (const WorkerTimes* run : runs) {
    std::vector<double> logs;
    for (const double time : at_same_work(*run, work)) logs.push_back(std::log(time));
    see_workers(*run, logs, workers);
    see_hosts(*run, logs, hosts);
  }
  const double deviation = usual_deviation(workers);
  std::vector<Candidate> all;
  for (auto& [worker, one] : workers) all.push_back(std::move(one));
  for (auto& [host, one] : hosts) all.push_back(std::move(one));
  for (Candidate& one : all) {
    for (Sight& sight : one.sights) sight.error *= deviation;
  }
  return all;
}

/// `ahead` as a multiple of `effect`: 1 (the same share at every K) or 1 / step (the same time at
/// every K). The multiple is a weighted median: a worker that is always late is late in most runs,
/// and one that is very late in a few is not.
struct Fit {
  double value = 0;
  double error = 0;
  double z = 0;     ///< with what is wild cut off: one bad run must not name a worker
  double left = 0;  ///< squares that it does not explain
};

/// A value and how much it counts.
struct Vote {
  double value = 0;
  double weight = 0;
};

double weighted_median(std::vector<Vote> votes, double weight) {
  std::sort(votes.begin(), votes.end(),
            [](const Vote& a, const Vote& b) { return a.value < b.value; });
  double below = 0;
  for (const Vote& vote : votes) {
    below += vote.weight;
    if (below >= weight / 2) return vote.value;
  }
  return votes.back().value;
}

template <typename Effect>
Fit fit(const std::vector<Sight>& sights, const Effect& effect) {
  constexpr double kWild = 2.5;  // standard deviations
  const double median_error = std::sqrt(std::numbers::pi / 2);
  double squares = 0, weight = 0, tame = 0;
  std::vector<Vote> votes;
  for (const Sight& sight : sights) {
    const double cut = std::clamp(sight.ahead / sight.error, -kWild, kWild);
    const double size = effect(sight) / sight.error;
    squares += size * size;
    weight += size;
    tame += size * cut;
    votes.push_back({sight.ahead / effect(sight), size});
  }
  Fit fit{weighted_median(std::move(votes), weight), median_error / std::sqrt(squares),
          tame / std::sqrt(squares)};
  for (const Sight& sight : sights) {
    fit.left += std::pow((sight.ahead - fit.value * effect(sight)) / sight.error, 2);
  }
  return fit;
}

/// Seconds of useful time a step at one K, the median over workers and runs.
double useful_step_at(const std::vector<const WorkerTimes*>& runs, int workers) {
  std::vector<double> steps;
  for (const WorkerTimes* run : runs) {
    if (run->run->workers == workers) steps.push_back(median_of(run->useful) / run->steps);
  }
  return steps.empty() ? 0 : median_of(steps);
}

Estimate fitted_share(const Fit& fit, double scale, double confidence, std::size_t runs) {
  const double half = normal_quantile((1 + confidence) / 2) * fit.error;
  const auto longer = [scale](double value) { return std::exp(value * scale) - 1; };
  return {.point = longer(fit.value),
          .standard_error = std::exp(fit.value * scale) * fit.error * scale,
          .low = longer(fit.value - half),
          .high = longer(fit.value + half),
          .confidence = confidence,
          .n = runs,
          .method = IntervalMethod::kNormal};
}

bool on_several_hosts(const std::vector<const WorkerTimes*>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const WorkerTimes* run) {
    const std::vector<std::string>& hosts = run->run->per_worker->host;
    return std::adjacent_find(hosts.begin(), hosts.end(), std::not_equal_to<>()) != hosts.end();
  });
}

SlowOne judge(const Candidate& candidate, double step, double confidence) {
  const Fit relative = fit(candidate.sights, [](const Sight&) { return 1.0; });
  const Fit constant = fit(candidate.sights, [](const Sight& sight) { return 1 / sight.step; });
  SlowOne slow;
  slow.worker = candidate.worker;
  slow.host = candidate.host;
  slow.constant = constant.left < relative.left;
  slow.z = std::max(constant.z, relative.z);
  slow.told = candidate.seen_at.size() > 1;
  slow.runs = candidate.sights.size();
  slow.slower =
      static_cast<std::size_t>(std::count_if(candidate.sights.begin(), candidate.sights.end(),
                                             [](const Sight& sight) { return sight.ahead > 0; }));
  slow.share = slow.constant ? fitted_share(constant, 1 / step, confidence, slow.runs)
                             : fitted_share(relative, 1, confidence, slow.runs);
  slow.seconds = slow.share.point * step;
  return slow;
}

/// A slow worker makes the mean of its host slow; but by half as much at most.
bool blames_host(const SlowOne& worker, const SlowOne& host) {
  constexpr double kMoreThanOne = 0.6;
  return host.certain && host.host == worker.host &&
         host.share.point > kMoreThanOne * worker.share.point;
}

}  // namespace

WorkSlope work_slope(const std::vector<const WorkerTimes*>& runs, double confidence) {
  constexpr double kEqual = 1e-9;
  double squares = 0, products = 0;
  std::vector<std::pair<double, double>> points;
  for (const WorkerTimes* run : runs) {
    if (run->work.empty()) return {};
    const std::vector<double> work = centred_logs(run->work);
    const std::vector<double> time = centred_logs(run->useful);
    for (std::size_t i = 0; i < work.size(); ++i) {
      squares += work[i] * work[i];
      products += work[i] * time[i];
      points.emplace_back(work[i], time[i]);
    }
  }
  if (squares < kEqual || points.size() < 3) return {};
  const double slope = products / squares;
  double left = 0;
  for (const auto& [work, time] : points) left += std::pow(time - slope * work, 2);
  const double error = std::sqrt(left / static_cast<double>(points.size() - runs.size()) / squares);
  const double half = normal_quantile((1 + confidence) / 2) * error;
  return {.known = true,
          .slope = {.point = slope,
                    .standard_error = error,
                    .low = slope - half,
                    .high = slope + half,
                    .confidence = confidence,
                    .n = runs.size(),
                    .method = IntervalMethod::kNormal}};
}

/// Work that does not show in time (a count of something else) is not taken out of it.
std::vector<double> at_same_work(const WorkerTimes& run, const WorkSlope& work) {
  std::vector<double> times = run.useful;
  if (!work.known || run.work.empty()) return times;
  const bool follows = work.slope.low <= 1 && work.slope.high >= 1;
  const double slope = follows ? 1 : std::clamp(work.slope.point, 0.0, 1.0);
  const double mean = mean_of(run.work);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] /= std::pow(run.work[i] / mean, slope);
  return times;
}

std::optional<SlowOne> slow_one(const std::vector<const WorkerTimes*>& runs, const WorkSlope& work,
                                int workers, double confidence) {
  const double step = useful_step_at(runs, workers);
  if (runs.empty() || !(step > 0)) return std::nullopt;
  const std::vector<Candidate> all = late_candidates(runs, work);
  // Two ways of being late are tried on each; and that it is another one each time is looked for,
  // too, so that either may take half of the error.
  const double tried = 2 * 2 * static_cast<double>(all.size());
  std::optional<SlowOne> worst, host;
  for (const Candidate& candidate : all) {
    SlowOne slow = judge(candidate, step, confidence);
    slow.certain = normal_tail(slow.z) * tried < 1 - confidence;
    std::optional<SlowOne>& other = slow.worker ? worst : host;
    if (!other || slow.z > other->z) other = slow;
  }
  if (host && blames_host(*worst, *host)) worst = host;
  worst->elsewhere = on_several_hosts(runs);
  return worst;
}

Estimate slow_factor(const SlowOne& slow) {
  Estimate factor = slow.share;
  factor.point = 1 / (1 + slow.share.point);
  factor.standard_error = slow.share.standard_error * factor.point * factor.point;
  factor.low = 1 / (1 + slow.share.high);
  factor.high = 1 / (1 + slow.share.low);
  return factor;
}

bool is_slow(const SlowOne& slow, const WorkerTimes& run, std::size_t place) {
  return slow.worker ? run.worker_at(place) == *slow.worker : run.host_at(place) == slow.host;
}

double work_balance_of(const WorkerTimes& run) {
  return mean_of(run.work) / *std::max_element(run.work.begin(), run.work.end());
}

double rest_balance_of(const WorkerTimes& run, const WorkSlope& work,
                       const std::optional<SlowOne>& slow) {
  std::vector<double> times = at_same_work(run, work);
  for (std::size_t i = 0; slow && i < times.size(); ++i) {
    if (is_slow(*slow, run, i)) times[i] /= 1 + slow->share.point;
  }
  return mean_of(times) / *std::max_element(times.begin(), times.end());
}

SpeedNoise speed_noise(const std::vector<WorkerTimes>& base, std::optional<Regime> regime) {
  std::vector<double> logs;
  double squares = 0, degrees = 0;
  for (const WorkerTimes& run : base) {
    if (const std::optional<double> cost = useful_per_work(run, regime)) {
      logs.push_back(std::log(*cost));
    }
    for (const double log : centred_logs(at_same_work(run, {}))) squares += log * log;
    degrees += static_cast<double>(run.count() - 1);
  }
  if (degrees > 0) return {std::sqrt(squares / degrees), degrees};
  if (logs.size() < 2) return {};
  return {deviation_of(logs), static_cast<double>(logs.size() - 1)};
}

double balance_of_chance(const SpeedNoise& noise, std::size_t workers, double confidence) {
  if (!(noise.degrees > 0)) return 1;
  const double deviation = largest_deviation(noise.deviation, noise.degrees, confidence);
  return 1 / (1 + deviation * expected_largest(workers));
}

}  // namespace kstar::causes
