#include "kstar/cpu_accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/causes/factors.h"
#include "base/number.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using CountedRuns = std::vector<const Run*>;

double cpu_of(const Run& run) {
  return *run.usage.cpu_user + *run.usage.cpu_system;
}

bool has_cpu(const Run& run) {
  return run.usage.cpu_user && run.usage.cpu_system && run.wall && *run.wall > 0 && cpu_of(run) > 0;
}

std::map<int, CountedRuns> counted_runs(const Study& study) {
  std::map<int, CountedRuns> by_workers;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && counts(run) && has_cpu(run)) {
      by_workers[run.workers].push_back(&run);
    }
  }
  return by_workers;
}

/// Of its busy time, what a hypervisor gave away is shared with everything else on the machine.
double stolen_from(const Run& run) {
  const double cpu = cpu_of(run);
  return run.usage.cpu_stolen.value_or(0) * cpu / (cpu + run.usage.cpu_others.value_or(0));
}

/// D per CPU second, of the runs that know it; none where most do not.
std::optional<double> waiting_rate(const CountedRuns& runs) {
  double waited = 0, cpu = 0;
  std::size_t known = 0;
  for (const Run* run : runs) {
    if (!run->usage.cpu_wait) continue;
    waited += *run->usage.cpu_wait + stolen_from(*run);
    cpu += cpu_of(*run);
    ++known;
  }
  if (2 * known < runs.size() || known == 0) return std::nullopt;
  return waited / cpu;
}

double waited_of(const Run& run, double rate) {
  return run.usage.cpu_wait ? *run.usage.cpu_wait + stolen_from(run) : rate * cpu_of(run);
}

template <typename Value>
double mean_over(const CountedRuns& runs, const Value& value) {
  double sum = 0;
  for (const Run* run : runs) sum += value(*run);
  return sum / static_cast<double>(runs.size());
}

/// The mean where every run knows it.
template <typename Value>
std::optional<double> known_mean(const CountedRuns& runs, const Value& value) {
  double sum = 0;
  for (const Run* run : runs) {
    const std::optional<double> one = value(*run);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(runs.size());
}

std::optional<double> as_double(const SmallOptional<std::int64_t>& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

CpuEvidence evidence_of_runs(const CountedRuns& runs, double cpu) {
  const auto rate = [&](SmallOptional<std::int64_t> Usage::*count) {
    auto mean = known_mean(runs, [&](const Run& run) { return as_double(run.usage.*count); });
    if (mean) *mean /= cpu;
    return mean;
  };
  CpuEvidence found;
  found.voluntary_switches = rate(&Usage::voluntary_switches);
  found.involuntary_switches = rate(&Usage::involuntary_switches);
  found.migrations = rate(&Usage::migrations);
  found.faults = rate(&Usage::minor_faults);
  found.system_share = mean_over(runs, [](const Run& run) { return *run.usage.cpu_system; }) / cpu;
  found.instructions = known_mean(runs, [](const Run& run) -> std::optional<double> {
    return run.counters ? std::optional<double>(run.counters->instructions) : std::nullopt;
  });
  found.cycles = known_mean(runs, [](const Run& run) -> std::optional<double> {
    return run.counters ? std::optional<double>(run.counters->cycles) : std::nullopt;
  });
  found.peak_memory =
      known_mean(runs, [](const Run& run) { return as_double(run.usage.peak_memory); });
  return found;
}

/// What K workers did not compute. More threads than workers may wait longer: no worker's loss.
double missing_of(const CpuPoint& point) {
  return std::max(0.0, point.workers * point.wall - point.cpu);
}

/// What D can be at most: what others used.
double most_waited(const CpuPoint& point, const CountedRuns& runs) {
  const double others = mean_over(runs, [](const Run& run) {
    return run.usage.cpu_others.value_or(0) + run.usage.cpu_stolen.value_or(0);
  });
  return std::min(missing_of(point), others);
}

CpuPoint cpu_point(int workers, const CountedRuns& runs, double cpus) {
  /// D that others cannot have caused more of than this share of K T is none.
  constexpr double kNone = 0.02;
  CpuPoint point;
  point.workers = workers;
  point.runs = runs.size();
  point.wall = mean_over(runs, [](const Run& run) { return *run.wall; });
  point.cpu = mean_over(runs, cpu_of);
  point.others =
      mean_over(runs, [](const Run& run) { return run.usage.cpu_others.value_or(0) / *run.wall; });
  if (const auto rate = waiting_rate(runs)) {
    const double all = mean_over(runs, [&](const Run& run) { return waited_of(run, *rate); });
    point.waited = std::min(all, missing_of(point));
  }
  if (!point.waited && cpus > 0 && workers > cpus) {
    // Not more workers than CPUs can run: of K that have work, K - CPUs wait.
    point.waited = std::min(point.cpu * (workers / cpus - 1), missing_of(point));
    point.counted = false;
  }
  point.most_waited = point.waited.value_or(most_waited(point, runs));
  if (!point.waited && point.most_waited < kNone * workers * point.wall) point.waited = 0;
  point.evidence = evidence_of_runs(runs, point.cpu);
  return point;
}

/// A factor at one K: the logarithm of its mean, and what one run changes of it (linearisation).
struct LogFactor {
  double value = 0;
  double variance = 0;  ///< of one run
  double runs = 0;
};

struct LogFactors {
  LogFactor got, wanted, cpu;
};

template <typename Influence>
double variance_of(const CountedRuns& runs, const Influence& influence) {
  if (runs.size() < 2) return 0;
  double sum = 0;
  for (const Run* run : runs) sum += std::pow(influence(*run), 2);
  return sum / static_cast<double>(runs.size() - 1);
}

LogFactors log_factors(const CpuPoint& point, const CountedRuns& runs) {
  const double whole = point.cpu + point.waited.value_or(0);
  const double rate = waiting_rate(runs).value_or(0);
  const double all = mean_over(runs, [&](const Run& run) { return waited_of(run, rate); });
  const double lost = all > 0 ? point.waited.value_or(0) / all : 0;  // of what threads waited
  const auto cpu = [&](const Run& run) { return cpu_of(run) / point.cpu; };
  const auto ready = [&](const Run& run) {
    return (cpu_of(run) + lost * waited_of(run, rate)) / whole;
  };
  const auto wall = [&](const Run& run) { return *run.wall / point.wall; };
  const auto n = static_cast<double>(runs.size());
  LogFactors found;
  found.got = {std::log(point.cpu / whole),
               variance_of(runs, [&](const Run& run) { return cpu(run) - ready(run); }), n};
  found.wanted = {std::log(whole / (point.workers * point.wall)),
                  variance_of(runs, [&](const Run& run) { return ready(run) - wall(run); }), n};
  found.cpu = {-std::log(point.cpu),
               variance_of(runs, [&](const Run& run) { return cpu(run) - 1; }), n};
  return found;
}

/// Few runs at a K say little of their own noise: that of all K is believed where it is larger.
struct PooledNoise {
  double variance = 0, degrees = 0;
};

PooledNoise pooled(const std::vector<LogFactors>& all, LogFactor LogFactors::*which) {
  PooledNoise noise;
  for (const LogFactors& one : all) {
    noise.variance += (one.*which).variance * ((one.*which).runs - 1);
    noise.degrees += (one.*which).runs - 1;
  }
  if (noise.degrees > 0) noise.variance /= noise.degrees;
  return noise;
}

Estimate against_base(const LogFactor& here, const LogFactor& base, const PooledNoise& noise,
                      double scale, double confidence) {
  const auto part = [&](const LogFactor& one) {
    return std::max(one.variance, noise.variance) / one.runs;
  };
  const double log = here.value - base.value;
  Estimate estimate{.point = scale * std::exp(log),
                    .confidence = confidence,
                    .n = static_cast<std::size_t>(std::min(here.runs, base.runs))};
  if (!(noise.degrees > 0)) {
    estimate.standard_error = std::numeric_limits<double>::quiet_NaN();
    estimate.low = -std::numeric_limits<double>::infinity();
    estimate.high = std::numeric_limits<double>::infinity();
    return estimate;
  }
  const double error = std::sqrt(part(here) + part(base));
  const double reach = student_t_reach(confidence, noise.degrees) * error;
  estimate.standard_error = estimate.point * error;
  estimate.low = scale * std::exp(log - reach);
  estimate.high = scale * std::exp(log + reach);
  estimate.method = IntervalMethod::kWelchLog;
  estimate.degrees = noise.degrees;
  return estimate;
}

/// The work at K over that of the base.
double work_at(const ScalingTable& table, int workers, int base) {
  const ScalingPoint* here = point_at(table, Role::kParallel, workers);
  const ScalingPoint* first = point_at(table, Role::kParallel, base);
  return here != nullptr && first != nullptr ? here->work / first->work : 1;
}

/// Where D is not known, it may be anything up to what others could have caused.
void widen_by_bound(const CpuPoint& base, CpuPoint& point) {
  const auto most = [](const CpuPoint& one) {
    return one.waited ? 1.0 : 1 + one.most_waited / one.cpu;
  };
  point.got.low /= most(point);
  point.wanted.high *= most(point);
  point.got.high *= most(base);
  point.wanted.low /= most(base);
}

void set_factors(const std::map<int, CountedRuns>& runs, const ScalingTable& table,
                 double confidence, std::vector<CpuPoint>& points) {
  std::vector<LogFactors> logs;
  for (const CpuPoint& point : points) logs.push_back(log_factors(point, runs.at(point.workers)));
  const PooledNoise got = pooled(logs, &LogFactors::got);
  const PooledNoise wanted = pooled(logs, &LogFactors::wanted);
  const PooledNoise cpu = pooled(logs, &LogFactors::cpu);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double work = work_at(table, points[i].workers, points[0].workers);
    points[i].got = against_base(logs[i].got, logs[0].got, got, 1, confidence);
    points[i].wanted = against_base(logs[i].wanted, logs[0].wanted, wanted, 1, confidence);
    points[i].growth = against_base(logs[i].cpu, logs[0].cpu, cpu, work, confidence);
    if (i > 0) widen_by_bound(points[0], points[i]);
    if (i > 0) continue;
    for (Estimate* own : {&points[0].got, &points[0].wanted, &points[0].growth}) {
      *own = causes::exactly_one(confidence, points[0].runs);
    }
  }
}

/// Processor time above that of threads that sleep is waiting: it moves from growth to wanted.
bool move_spinning(const CpuByWorkers& passive, std::vector<CpuPoint>& points) {
  const auto base = passive.find(points[0].workers);
  if (base == passive.end()) return false;
  bool moved = false;
  for (CpuPoint& point : points) {
    const auto here = passive.find(point.workers);
    if (here == passive.end() || &point == &points[0]) continue;
    const double spun = (point.cpu / points[0].cpu) / (here->second.seconds / base->second.seconds);
    point.growth = scaled(point.growth, spun);
    point.wanted = scaled(point.wanted, 1 / spun);
    point.passive_switches = here->second.switches;
    moved = true;
  }
  return moved;
}

/// How much of the processes' time T speaks of: start and end may be left out of it.
double share_in_times(const std::map<int, CountedRuns>& by_workers) {
  double least = 1;
  for (const auto& [workers, runs] : by_workers) {
    const double share = mean_over(runs, [](const Run& run) {
      if (run.steps.empty()) return 1 - run.setup.value_or(0) / *run.wall;
      const auto skip =
          std::min(run.steps.size(), static_cast<std::size_t>(run.warm_up_steps.value_or(0)));
      double sum = 0;
      for (std::size_t i = skip; i < run.steps.size(); ++i) sum += run.steps[i];
      return sum / *run.wall;
    });
    least = std::min(least, share);
  }
  return least;
}

bool on_other_hosts(const Study& study, const std::map<int, CountedRuns>& by_workers) {
  if (study.header.launcher.starts_with("srun")) return true;
  for (const auto& [workers, runs] : by_workers) {
    for (const Run* run : runs) {
      if (run->hosts.size() > 1 || run->nodes.value_or(1) > 1) return true;
    }
  }
  return false;
}

std::string why_not_usable(const Study& study, const std::map<int, CountedRuns>& by_workers,
                           const std::vector<CpuPoint>& points) {
  constexpr double kWhole = 0.9, kBusy = 0.5, kMoreThanWorkers = 1.3, kTheSame = 0.15;
  if (on_other_hosts(study, by_workers)) {
    return "the workers ran on other hosts, whose processor time is not known here";
  }
  if (const double share = share_in_times(by_workers); share < kWhole) {
    return fmt::format(
        "T covers {} of the processes' time, and the processor time of the rest is not known apart",
        percent(share, 0));
  }
  const CpuPoint& base = points.front();
  if (base.busy() < kBusy * base.workers) {
    return fmt::format(
        "the job uses {} CPUs at K = {}: it waits for something else (a device, a disk, a sleep), "
        "or it runs elsewhere",
        significant(base.busy(), 2), base.workers);
  }
  const bool same = std::all_of(points.begin(), points.end(), [&](const CpuPoint& point) {
    return std::fabs(point.busy() / base.busy() - 1) < kTheSame;
  });
  if (same && base.busy() > kMoreThanWorkers * base.workers) {
    return fmt::format("the job uses {} CPUs at every K: K does not set how many workers it has",
                       significant(base.busy(), 2));
  }
  return "";
}

double cpus_of(const Environment& environment) {
  double cpus = 0;
  if (!environment.hosts.empty()) cpus = environment.hosts[0].threads.value_or(0);
  if (environment.usable_cpus) cpus = *environment.usable_cpus;
  return environment.cpu_quota ? std::min(cpus, *environment.cpu_quota) : cpus;
}

/// A quota, a control group and a binding take from the job's CPUs, not from those of others.
double machine_cpus_of(const Environment& environment) {
  const double threads = environment.hosts.empty() ? 0 : environment.hosts[0].threads.value_or(0);
  return std::max(threads, cpus_of(environment));
}

}  // namespace

CpuByWorkers cpu_by_workers(const Study& study) {
  CpuByWorkers found;
  for (const auto& [workers, runs] : counted_runs(study)) {
    const double cpu = mean_over(runs, cpu_of);
    found[workers] = {.seconds = cpu, .switches = evidence_of_runs(runs, cpu).voluntary_switches};
  }
  return found;
}

std::optional<CpuAccounts> cpu_accounts(const Study& study, const ScalingTable& table,
                                        const CpuByWorkers& passive, double confidence) {
  const std::map<int, CountedRuns> by_workers = counted_runs(study);
  if (by_workers.size() < 2) return std::nullopt;
  CpuAccounts accounts;
  accounts.cpus = cpus_of(study.header.environment);
  accounts.machine_cpus = machine_cpus_of(study.header.environment);
  for (const auto& [workers, runs] : by_workers) {
    accounts.points.push_back(cpu_point(workers, runs, accounts.cpus));
  }
  set_factors(by_workers, table, confidence, accounts.points);
  accounts.passive = move_spinning(passive, accounts.points);
  accounts.not_usable = why_not_usable(study, by_workers, accounts.points);
  return accounts;
}

}  // namespace kstar
