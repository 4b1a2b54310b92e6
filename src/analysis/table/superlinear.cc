// An efficiency above 1 is a question to the baseline: K workers do not do more than K times the
// work of one, unless that one was kept from working. What runs record of themselves tells the
// usual reasons apart; the order is from the most to the least certain sign.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/fit/parts.h"
#include "base/number.h"

namespace kstar {

namespace {

/// What the runs of one K record of themselves, in the middle; absent where no run knows it.
struct RunFacts {
  std::optional<double> memory;       ///< bytes, of the largest process
  std::optional<double> disk_faults;  ///< page faults that went to disk
  std::optional<double> cpu;          ///< seconds, over all processes
  std::optional<double> busy;         ///< of the time of all workers, the share on a CPU
  std::optional<double> threads;      ///< in a process, where shapes are known
};

template <typename Of>
std::optional<double> middle(const std::vector<const Run*>& runs, const Of& of) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (const std::optional<double> value = of(*run)) values.push_back(*value);
  }
  const Result<Summary> summary = summarize(values);
  return summary ? std::optional(summary->median) : std::nullopt;
}

template <typename T>
std::optional<double> number(const SmallOptional<T>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> cpu_of(const Run& run) {
  if (!run.usage.cpu_user) return {};
  return *run.usage.cpu_user + run.usage.cpu_system.value_or(0);
}

std::optional<double> busy_of(const Run& run) {
  const std::optional<double> cpu = cpu_of(run);
  if (!cpu || !run.wall || !(*run.wall > 0)) return {};
  return *cpu / (*run.wall * run.workers);
}

RunFacts facts_of(const Study& study, Role role, int workers) {
  std::vector<const Run*> runs;
  for (const Run& run : study.runs) {
    if (run.role == role && run.workers == workers && counts(run)) runs.push_back(&run);
  }
  return {
      .memory = middle(runs, [](const Run& run) { return number(run.usage.peak_memory); }),
      .disk_faults = middle(runs, [](const Run& run) { return number(run.usage.major_faults); }),
      .cpu = middle(runs, cpu_of),
      .busy = middle(runs, busy_of),
      .threads = middle(runs, [](const Run& run) { return number(run.threads); })};
}

std::string bytes_text(double bytes) {
  constexpr double kMebi = 1024.0 * 1024;
  return bytes < 1024 * kMebi ? significant(bytes / kMebi, 3) + " MiB"
                              : significant(bytes / kMebi / 1024, 3) + " GiB";
}

/// The point with the efficiency in question, beside its base.
struct Suspect {
  const Study& study;
  const ScalingTable& table;
  const ScalingPoint& point;
  const ScalingPoint& base;
  RunFacts at;
  RunFacts at_base;

  std::string name_of_base() const {
    return base.role == Role::kBaseline ? "the baseline program"
                                        : fmt::format("K = {}", base.workers);
  }
  double growth() const { return static_cast<double>(point.workers) / base.workers; }
  SuperlinearQuestion question(SuperlinearCause cause, std::string sentence,
                               std::string measurement) const {
    return {.workers = point.workers,
            .cause = cause,
            .likely_cause = std::move(sentence),
            .measurement = std::move(measurement)};
  }
};

using Answer = std::optional<SuperlinearQuestion>;

Answer memory_pressure(const Suspect& suspect) {
  constexpr double kMany = 100, kMuchMore = 10, kNearlyAll = 0.9;
  const RunFacts &at = suspect.at, &base = suspect.at_base;
  const std::string settle = fmt::format(
      "measure {} on a machine with more memory{}, or both with half of the problem",
      suspect.name_of_base(),
      base.memory ? fmt::format(" (it uses {})", bytes_text(*base.memory)) : std::string());
  const double elsewhere = at.disk_faults.value_or(0);
  if (base.disk_faults && *base.disk_faults >= kMany &&
      *base.disk_faults >= kMuchMore * elsewhere) {
    return suspect.question(
        SuperlinearCause::kMemory,
        fmt::format("memory is short at {}: {} page faults per run went to disk, and {} at K = {}",
                    suspect.name_of_base(), significant(*base.disk_faults, 4),
                    significant(elsewhere, 4), suspect.point.workers),
        settle);
  }
  const auto& hosts = suspect.study.header.environment.hosts;
  if (hosts.empty() || !hosts[0].memory || !base.memory) return {};
  if (*base.memory < kNearlyAll * static_cast<double>(*hosts[0].memory)) return {};
  return suspect.question(
      SuperlinearCause::kMemory,
      fmt::format("memory is short at {}: it uses {} of the machine's {}", suspect.name_of_base(),
                  bytes_text(*base.memory), bytes_text(static_cast<double>(*hosts[0].memory))),
      settle);
}

Answer waiting_base(const Suspect& suspect) {
  constexpr double kIdle = 0.7, kMuchMore = 0.15;
  const std::optional<double>&at = suspect.at.busy, &base = suspect.at_base.busy;
  if (!at || !base || *base > kIdle || *at < *base + kMuchMore) return {};
  return suspect.question(
      SuperlinearCause::kWaiting,
      fmt::format(
          "{} waits for a disk or a network: it is on a CPU for {} of its time, K = {} for {}",
          suspect.name_of_base(), percent(*base, 0), suspect.point.workers, percent(*at, 0)),
      fmt::format("measure {} with its data already in memory: run it twice in a row and use the "
                  "second run",
                  suspect.name_of_base()));
}

/// A few slow runs make the mean, and with the median there would be no question.
Answer noisy_base(const Suspect& suspect) {
  constexpr double kSkewed = 1.03;
  const Summary& times = suspect.base.times;
  const double skew = times.mean / times.median;
  if (!(skew > kSkewed) || suspect.point.efficiency->low / skew > 1) return {};
  return suspect.question(
      SuperlinearCause::kNoise,
      fmt::format(
          "a few slow runs at {}: its mean is {} above its median; with the median, E is {}",
          suspect.name_of_base(), percent(skew - 1, 1),
          significant(suspect.point.efficiency->point / skew, 3)),
      fmt::format("repeat {} with ten more runs, in another session", suspect.name_of_base()));
}

/// Threads share what their process holds; processes hold their own.
std::optional<double> memory_of_worker(const RunFacts& facts, const RunFacts& base, int workers) {
  if (!facts.memory) return {};
  if (facts.threads) return *facts.memory / *facts.threads;
  constexpr double kShrinks = 0.75;
  const bool own = base.memory && *facts.memory < kShrinks * *base.memory;
  return own ? *facts.memory : *facts.memory / workers;
}

Answer caches(const Suspect& suspect) {
  // More than this no core has of its own, or as its share.
  constexpr double kLargestCache = 64.0 * 1024 * 1024;
  constexpr double kLess = 1.5;
  const auto at = memory_of_worker(suspect.at, suspect.at_base, suspect.point.workers);
  const auto base = memory_of_worker(suspect.at_base, suspect.at_base, suspect.base.workers);
  if (!at || !base || *at > kLargestCache || *base < kLess * *at) return {};
  const std::string part = significant(suspect.growth(), 3);
  return suspect.question(SuperlinearCause::kCaches,
                          fmt::format("caches: each of {} workers uses at most {}, but {} uses {} "
                                      "per worker: data that did not fit may fit now",
                                      suspect.point.workers, bytes_text(*at),
                                      suspect.name_of_base(), bytes_text(*base)),
                          fmt::format("measure {} with a problem {} times smaller: if that is more "
                                      "than {} times faster, the caches are the reason",
                                      suspect.name_of_base(), part, part));
}

SuperlinearQuestion slow_base(const Suspect& suspect) {
  constexpr double kMore = 1.05;
  std::string cause = fmt::format(
      "perhaps memory (the data of {} did not fit its cache or its memory), or a slow baseline",
      suspect.name_of_base());
  const std::optional<double>&at = suspect.at.cpu, &base = suspect.at_base.cpu;
  if (at && base && *base > kMore * *at && suspect.table.regime != Regime::kWeak) {
    cause += fmt::format("; it takes {} CPU seconds, and K = {} takes {} for the same work",
                         significant(*base, 3), suspect.point.workers, significant(*at, 3));
  }
  return suspect.question(
      SuperlinearCause::kNothingSeen, std::move(cause),
      fmt::format("measure {} with half of the problem, or the fastest single-worker program "
                  "(measure --baseline, or --baseline-time)",
                  suspect.name_of_base()));
}

const ScalingPoint* base_point(const ScalingTable& table) {
  for (const ScalingPoint& point : table.points) {
    if (point.role == table.base_role && point.workers == table.base_workers) return &point;
  }
  return nullptr;
}

/// The first K whose whole interval is above 1. Single values are off by up to a tenth, and so is
/// their base.
const ScalingPoint* above_one(const ScalingTable& table) {
  constexpr double kComputedDigits = 1e-9, kSingle = 1.1;
  for (const ScalingPoint& point : table.points) {
    const bool is_base = point.role == table.base_role && point.workers == table.base_workers;
    if (is_base || point.role == Role::kBaseline || !point.efficiency) continue;
    const Estimate& efficiency = *point.efficiency;
    const bool above =
        is_bounded(efficiency) ? efficiency.low > 1 + kComputedDigits : efficiency.point > kSingle;
    if (above) return &point;
  }
  return nullptr;
}

}  // namespace

std::optional<SuperlinearQuestion> superlinear_question(const Study& study,
                                                        const ScalingTable& table) {
  const ScalingPoint* point = above_one(table);
  const ScalingPoint* base = base_point(table);
  if (point == nullptr || base == nullptr) return {};
  const Suspect suspect{.study = study,
                        .table = table,
                        .point = *point,
                        .base = *base,
                        .at = facts_of(study, point->role, point->workers),
                        .at_base = facts_of(study, base->role, base->workers)};
  for (const auto& sign : {memory_pressure, waiting_base, noisy_base, caches}) {
    if (Answer answer = sign(suspect)) return answer;
  }
  return slow_base(suspect);
}

}  // namespace kstar
