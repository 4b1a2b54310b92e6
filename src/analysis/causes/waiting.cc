#include "analysis/causes/waiting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/causes/factors.h"
#include "analysis/causes/noise_floor.h"
#include "kstar/stats.h"

namespace kstar::causes {

namespace {

/// Seconds a step that everybody is idle, but perhaps the one at `but`; of a prompt step.
double idle_of_all(const WorkerTimes& run, std::optional<std::size_t> but, bool prompt) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < run.count(); ++i) {
    if (i != but) least = std::min(least, run.idle[i]);
  }
  const double late = prompt ? (1 - run.prompt.value_or(1)) * run.time : 0;
  return (least - late) / run.steps;
}

/// Whoever may work alone while all others are idle.
struct Suspect {
  std::optional<std::size_t> place;  ///< nobody: then all are idle
  double least = 0;                  ///< over runs
  std::vector<double> prompt;        ///< of each run
  double bound() const { return std::min(least, median_of(prompt)); }
};

Suspect suspect_at(const std::vector<const WorkerTimes*>& runs, std::optional<std::size_t> place) {
  Suspect suspect{.place = place, .least = std::numeric_limits<double>::infinity(), .prompt = {}};
  for (const WorkerTimes* run : runs) {
    suspect.least = std::min(suspect.least, idle_of_all(*run, place, false));
    suspect.prompt.push_back(idle_of_all(*run, place, true));
  }
  return suspect;
}

/// Only the one with the least idle time can raise the bound when it is left out; so only those
/// that have the least in some run are tried.
Suspect prime_suspect(const std::vector<const WorkerTimes*>& runs) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const WorkerTimes* run : runs) fewest = std::min(fewest, run->count());
  std::vector<bool> tried(fewest, false);
  Suspect prime = suspect_at(runs, std::nullopt);
  for (const WorkerTimes* run : runs) {
    const auto place = static_cast<std::size_t>(
        std::min_element(run->idle.begin(), run->idle.end()) - run->idle.begin());
    if (place >= fewest || tried[place]) continue;
    tried[place] = true;
    Suspect other = suspect_at(runs, place);
    if (other.bound() > 2 * std::max(0.0, prime.bound())) prime = std::move(other);
  }
  return prime;
}

double step_at(const std::vector<const WorkerTimes*>& runs, int workers) {
  std::vector<double> steps;
  for (const WorkerTimes* run : runs) {
    if (run->run->workers == workers) steps.push_back(run->time / run->steps);
  }
  return steps.empty() ? 0 : mean_of(steps);
}

/// Who spends about that time in no phase at all, in most runs, and is the only one.
std::optional<int> unmarked_one(const std::vector<const WorkerTimes*>& runs, double seconds) {
  std::vector<int> found;
  for (const WorkerTimes* run : runs) {
    if (run->unmarked.empty()) return std::nullopt;
    const auto most = std::max_element(run->unmarked.begin(), run->unmarked.end());
    const bool much = *most > seconds * run->steps / 2;
    const bool only = *most > 2 * median_of(run->unmarked);
    if (much && only) {
      found.push_back(run->worker_at(static_cast<std::size_t>(most - run->unmarked.begin())));
    }
  }
  const bool most_runs = 2 * found.size() > runs.size();
  const bool same =
      std::adjacent_find(found.begin(), found.end(), std::not_equal_to<>()) == found.end();
  return most_runs && same ? std::optional(found.front()) : std::nullopt;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

/// Spearman's, without ties.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return 1 - 6 * squares / (count * (count * count - 1));
}

/// The mean over neighbouring runs at one K.
std::optional<double> alike(const std::vector<const WorkerTimes*>& runs, int workers) {
  constexpr std::size_t kFewestSteps = 8;
  std::vector<std::vector<double>> ranks;
  for (const WorkerTimes* run : runs) {
    if (run->run->workers == workers && run->steps >= kFewestSteps) {
      const std::vector<double>& steps = run->run->steps;
      const auto timed = static_cast<std::ptrdiff_t>(run->steps);
      ranks.push_back(ranks_of({steps.end() - timed, steps.end()}));
    }
  }
  std::vector<double> correlations;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i].size() != ranks[i - 1].size()) return std::nullopt;
    correlations.push_back(rank_correlation(ranks[i - 1], ranks[i]));
  }
  return correlations.size() < 2 ? std::nullopt : std::optional(mean_of(correlations));
}

/// Of a run's time; 0 where communication is not recorded, for all of it may be waiting then.
double unexplained_of(const WorkerTimes& run, double serial) {
  if (run.communicate.empty()) return 0;
  const double idle = idle_of_all(run, std::nullopt, false) - serial;
  return std::max(0.0, idle * run.steps / run.time);
}

double late_share(const WorkerTimes& run, double serial) {
  const double waiting = unexplained_of(run, serial) - run.stolen / run.time;
  const double differing = 1 - run.prompt.value_or(0);
  return std::max(0.0, std::min(waiting, differing));
}

bool much(const Estimate& share) {
  return is_bounded(share) ? share.low > kNegligible : share.point > kPlain;
}

Estimate mean_share(const std::vector<double>& values, double confidence) {
  const Result<Estimate> mean = estimate_mean(values, {.confidence = confidence});
  return mean ? *mean : Estimate{};
}

}  // namespace

std::optional<double> alone_share(const std::vector<const WorkerTimes*>& runs, std::size_t place,
                                  double seconds) {
  std::vector<double> said, idle, spread;
  for (const WorkerTimes* run : runs) {
    if (place >= run->count()) continue;
    std::vector<double> others = run->useful;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    const double longest = *std::max_element(others.begin(), others.end());
    const double all = idle_of_all(*run, std::nullopt, true);
    const double later = std::max(0.0, (run->useful[place] - longest) / run->steps);
    if (later < seconds / 2) said.push_back(all / (seconds - later));
    constexpr double kToSee = 0.01;  // of a step; below, clocks and barriers make as much
    if (longest - mean_of(others) < kToSee * run->time) continue;
    idle.push_back(all);
    spread.push_back((longest - mean_of(others)) / run->steps);
  }
  if (said.size() > 1) return median_of(said);
  if (idle.size() > 1) return median_of(idle) / median_of(spread);
  return std::nullopt;
}

std::optional<SerialPart> serial_part(const std::vector<const WorkerTimes*>& runs, int workers,
                                      double least_share, double confidence) {
  if (runs.empty()) return std::nullopt;
  const Suspect prime = prime_suspect(runs);
  const double much = least_share * step_at(runs, workers);
  // One-sided, and between order statistics: a hiccup makes the prompt steps of its run look as if
  // they left nobody idle.
  const Result<Estimate> median = estimate_median(prime.prompt, std::max(0.5, 2 * confidence - 1));
  const bool mostly = runs.size() < 2 || (median && median->low > much);
  if (!median || !(prime.bound() > much) || !mostly) return std::nullopt;
  constexpr double kApart = 0.5;
  if (prime.place && alone_share(runs, *prime.place, prime.bound()).value_or(0) < kApart)
    return std::nullopt;
  SerialPart part;
  part.seconds = *median;
  part.least = prime.least;
  part.runs = runs.size();
  part.steps_known = std::all_of(runs.begin(), runs.end(),
                                 [](const WorkerTimes* run) { return run->prompt.has_value(); });
  part.worker = unmarked_one(runs, prime.bound());
  part.unmarked = part.worker.has_value();
  return part;
}

LateSteps late_steps(const std::vector<const WorkerTimes*>& runs, int workers, double serial,
                     const std::vector<double>& uneven, double confidence) {
  LateSteps late;
  std::vector<double> here, all, steps, between, stolen, unexplained;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const WorkerTimes& run = *runs[i];
    const double held_up = late_share(run, serial);
    all.push_back(1 - (1 - held_up) * (1 - uneven[i]));
    if (run.run->workers != workers) continue;
    here.push_back(all.back());
    steps.push_back(held_up);
    between.push_back(uneven[i]);
    stolen.push_back(std::min(1.0, run.stolen / run.time));
    unexplained.push_back(unexplained_of(run, serial));
    late.slowest.push_back(run.worker_at(run.last()));
  }
  if (here.empty()) return late;
  late.in_steps = mean_of(steps);
  late.between = mean_of(between);
  late.stolen = mean_of(stolen);
  late.unexplained = mean_of(unexplained);
  late.alike = alike(runs, workers);
  late.share = mean_share(here, confidence);
  const Estimate pooled = mean_share(all, confidence);
  // Two looks at two-sided intervals: each has half of the error that one-sided claims may make.
  late.pooled = !much(late.share) && much(pooled);
  if (late.pooled) late.share = pooled;
  late.clear = much(late.share);
  return late;
}

}  // namespace kstar::causes
