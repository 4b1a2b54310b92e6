#include "compare/points.h"

#include <array>
#include <limits>

#include "compare/evidence.h"

namespace kstar::comparing {

namespace {

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

Result<std::vector<WorkersChange>> changes_at_all(const Side& before, const Side& after,
                                                  const CompareOptions& options) {
  const Result<std::vector<Estimate>> ratios =
      same_seconds(before, after) ? time_ratios(before.times, after.times, options.confidence,
                                                scope_of(before), scope_of(after))
                                  : no_ratios(before, options.confidence);
  if (!ratios) return fail(ratios.error());
  std::vector<WorkersChange> points = changes_of(before, after, *ratios, options);
  correct_for_many(points);
  set_verdicts(before, after, options, points);
  return points;
}

}  // namespace kstar::comparing
