#include "compare/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/try.h"
#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

double log_error(const Estimate& ratio) {
  return ratio.standard_error / ratio.point;
}

/// Whether that many runs on each side would do.
bool enough(double runs, double runs_now, const Estimate& ratio, double target,
            const RunsAsked& asked) {
  constexpr double kPower = 0.8416;  // the normal quantile of 4 in 5
  const double confidence = 1 - (1 - asked.confidence) / static_cast<double>(asked.compared);
  const double degrees = std::max(ratio.degrees, 1.0) * std::max(runs / runs_now, 1.0);
  const double error = log_error(ratio) * std::sqrt(runs_now / runs);
  return (student_t_reach(confidence, degrees) + kPower) * error <= target;
}

/// E of the base is 1, however its times were rounded.
bool is_base(const Side& side, int workers) {
  const ScalingTable& table = side.analysis.table;
  return table.base_role == Role::kParallel && table.base_workers == workers;
}

void set_efficiency(const Side& before, const Side& after, double confidence,
                    WorkersChange& change) {
  const int workers = change.workers;
  change.efficiency_before = point_at(before, workers).efficiency;
  change.efficiency_after = point_at(after, workers).efficiency;
  if (!change.efficiency_before || !change.efficiency_after) return;
  Result<Estimate> ratio =
      estimate_ratio(*change.efficiency_after, *change.efficiency_before, confidence);
  if (!ratio) return;
  if (!is_base(before, workers)) {
    ratio = with_hidden(*ratio, std::array{before.hidden.at(workers), before.hidden_of_base,
                                           after.hidden.at(workers), after.hidden_of_base});
  }
  change.efficiency = RatioChange{.ratio = *ratio, .p = chance_of(*ratio)};
}

std::vector<WorkersChange> changes_of(const Side& before, const Side& after,
                                      const std::vector<Estimate>& ratios,
                                      const CompareOptions& options) {
  const bool efficiencies = same_base(before, after);
  std::vector<WorkersChange> changes;
  for (const auto& [workers, samples] : before.times) {
    const ScalingPoint& first = point_at(before, workers);
    const ScalingPoint& second = point_at(after, workers);
    const Estimate ratio = with_hidden(
        ratios[changes.size()], std::array{before.hidden.at(workers), after.hidden.at(workers)});
    WorkersChange change;
    change.workers = workers;
    change.runs_before = samples.size();
    change.runs_after = after.times.at(workers).size();
    change.before = first.time;
    change.after = second.time;
    change.time = {.ratio = ratio, .p = chance_of(ratio)};
    change.settled = is_settled(ratio, options.smallest);
    if (efficiencies) set_efficiency(before, after, options.confidence, change);
    changes.push_back(std::move(change));
  }
  return changes;
}

/// Of times that have none, as they are of different things.
std::vector<Estimate> no_ratios(const Side& side, double confidence) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  constexpr double kAnything = std::numeric_limits<double>::infinity();
  return std::vector<Estimate>(side.times.size(), {.point = kNothing,
                                                   .standard_error = kNothing,
                                                   .low = -kAnything,
                                                   .high = kAnything,
                                                   .confidence = confidence});
}

/// An efficiency that is 1 by definition is nothing that was looked at.
bool is_exact(const Estimate& ratio) {
  return ratio.standard_error == 0 && ratio.point == 1;
}

void correct_for_many(std::vector<WorkersChange>& points) {
  std::vector<RatioChange*> times, efficiencies;
  for (WorkersChange& point : points) {
    times.push_back(&point.time);
    if (point.efficiency && !is_exact(point.efficiency->ratio)) {
      efficiencies.push_back(&*point.efficiency);
    }
  }
  adjust(times);
  adjust(efficiencies);
}

/// More runs would be equal, too.
bool is_hidden(const Side& before, const Side& after, int workers) {
  return before.hidden.at(workers).error > 0 || after.hidden.at(workers).error > 0;
}

void set_verdicts(const Side& before, const Side& after, const CompareOptions& options,
                  std::vector<WorkersChange>& points) {
  for (WorkersChange& point : points) {
    if (is_evident(point.time, options.confidence)) {
      point.verdict = point.time.ratio.point > 1 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
    } else if (!point.settled && !is_hidden(before, after, point.workers)) {
      point.more_runs = more_runs(point.time.ratio, {.smallest = options.smallest,
                                                     .confidence = options.confidence,
                                                     .compared = points.size(),
                                                     .runs_before = point.runs_before,
                                                     .runs_after = point.runs_after});
    }
  }
}

}  // namespace

double chance_of(const Estimate& ratio) {
  const double error = log_error(ratio);
  if (ratio.method == IntervalMethod::kNone || !std::isfinite(error)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double distance = std::fabs(std::log(ratio.point));
  if (error == 0) return distance == 0 ? 1 : 0;  // runs that were all equal
  return student_t_beyond(distance / error, std::max(ratio.degrees, 1.0));
}

void adjust(std::span<RatioChange* const> changes) {
  std::vector<RatioChange*> sorted;
  for (RatioChange* change : changes) {
    change->adjusted_p = change->p;
    if (!std::isnan(change->p)) sorted.push_back(change);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const RatioChange* a, const RatioChange* b) { return a->p < b->p; });
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    largest = std::max(largest, static_cast<double>(sorted.size() - i) * sorted[i]->p);
    sorted[i]->adjusted_p = std::min(1.0, largest);
  }
}

bool is_evident(const RatioChange& change, double confidence) {
  return change.adjusted_p < 1 - confidence;  // false for NaN
}

bool is_settled(const Estimate& ratio, double smallest) {
  return ratio.low > 1 / (1 + smallest) && ratio.high < 1 + smallest;
}

std::optional<std::size_t> more_runs(const Estimate& ratio, const RunsAsked& asked) {
  constexpr std::size_t kMost = 1000000;
  if (!std::isfinite(log_error(ratio)) || ratio.method == IntervalMethod::kNone) return {};
  const double target = std::max(std::fabs(std::log(ratio.point)), std::log1p(asked.smallest));
  const std::size_t fewest = std::min(asked.runs_before, asked.runs_after);
  // The error is that of both sides: as if each had the harmonic mean of their runs.
  const double now =
      2 / (1 / static_cast<double>(asked.runs_before) + 1 / static_cast<double>(asked.runs_after));
  const auto would_do = [&](std::size_t more) {
    return enough(static_cast<double>(fewest + more), now, ratio, target, asked);
  };
  std::size_t high = 1;
  while (high < kMost && !would_do(high)) high *= 2;
  std::size_t low = high / 2;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (would_do(middle) ? high : low) = middle;
  }
  return high;
}

Result<std::vector<WorkersChange>> changes_at_all(const Side& before, const Side& after,
                                                  const CompareOptions& options) {
  KSTAR_TRY(const std::vector<Estimate> ratios,
            same_seconds(before, after) ? time_ratios(before.times, after.times, options.confidence,
                                                      scope_of(before), scope_of(after))
                                        : no_ratios(before, options.confidence));
  std::vector<WorkersChange> points = changes_of(before, after, ratios, options);
  correct_for_many(points);
  set_verdicts(before, after, options, points);
  return points;
}

}  // namespace kstar::comparing
