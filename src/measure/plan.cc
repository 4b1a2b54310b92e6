#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/measure.h"
#include "kstar/measure_plan.h"
#include "kstar/placeholders.h"
#include "kstar/stopping.h"
#include "launch/launch_at.h"

namespace kstar {

namespace {

constexpr double kSecondsAnHour = 3600;

int most_runs(const MeasureSpec& spec) {
  return std::max(2, spec.max_runs);
}

std::string percent_text(double share) {
  return significant(100 * share, 3) + "%";
}

std::size_t points_of(const MeasureSpec& spec) {
  return std::max<std::size_t>(1, spec.workers.size() + (spec.baseline.empty() ? 0 : 1));
}

/// Runs until the half-width z s / sqrt(n) and what may be unseen are below precision times the
/// mean, the normal quantile as a round figure: an estimate for planning, not the rule that stops.
double runs_for(const MeasureSpec& spec, double relative_deviation) {
  constexpr double kQuantile = 2;
  int runs = fewest_runs(spec);
  while (runs < most_runs(spec) &&
         kQuantile * relative_deviation / std::sqrt(runs) +
                 unseen_slowdown(static_cast<std::size_t>(runs) * points_of(spec)) >
             spec.precision) {
    ++runs;
  }
  return runs;
}

/// The standard deviation from run to run that is allowed for where nothing is known.
constexpr double kUnknownDeviation = 0.1;

class Planner {
 public:
  Planner(const MeasureSpec& spec, std::span<const KnownTime> known, PlanStart start)
      : spec_(spec), known_(known), start_(start) {}

  Result<PlannedRun> line(Role role, std::int64_t workers, bool inside) const {
    KSTAR_TRY(std::vector<std::string> command, command_line(role, workers));
    KSTAR_TRY(auto variables, expand_variables(spec_, workers));
    PlannedRun run;
    run.role = role;
    run.workers = static_cast<int>(workers);
    run.inside = inside;
    run.command = std::move(command);
    run.variables = std::move(variables);
    run.workload = workload_at(spec_, workers);
    const KnownTime* near = nearest(role, run.workers, inside);
    run.measured = near != nullptr && near->role == role && near->workers == run.workers;
    if (near != nullptr) run.seconds = carried_over(*near, run.workers);
    run.runs = number_of_runs(near, inside);
    const bool same = run.measured && near->inside == inside;
    if (same && near->runs > 0 && start_ == PlanStart::kGoesOn) {
      const int warm_up = inside ? 0 : spec_.warm_up_runs.value_or(0);
      const double made = static_cast<double>(near->runs) + warm_up;
      run.runs = {std::max(0.0, run.runs.low - made), std::max(0.0, run.runs.high - made)};
    }
    return run;
  }

 private:
  /// With the launcher's own words where it can be asked here: a plan for a cluster may be made
  /// anywhere.
  Result<std::vector<std::string>> command_line(Role role, std::int64_t workers) const {
    if (Result<Launch> launch = launch_at(spec_, role, workers); launch) {
      return std::move(launch->plan.command);
    }
    return role == Role::kBaseline ? expand_baseline(spec_) : expand(spec_, workers);
  }

  /// The same program at the same K, else at the nearest; any program when that one is not known.
  /// A run that looks inside takes about as long as a plain one; what it took is not used for
  /// those.
  const KnownTime* nearest(Role role, int workers, bool inside) const {
    const KnownTime* best = nullptr;
    double best_distance = 0;
    for (const KnownTime& one : known_) {
      const double factor = std::fabs(std::log2(static_cast<double>(one.workers) / workers));
      constexpr double kOtherProgram = 1000, kNotInside = 1e-12;
      if (one.inside && !inside) continue;
      const double distance =
          factor + (one.role == role ? 0 : kOtherProgram) + (one.inside == inside ? 0 : kNotInside);
      if (best != nullptr && distance >= best_distance) continue;
      best = &one;
      best_distance = distance;
    }
    return best;
  }

  PlanRange carried_over(const KnownTime& from, int workers) const {
    if (regime_of(spec_) != Regime::kStrong) return {from.seconds, from.seconds};
    const double ideal = from.seconds * from.workers / workers;
    return {std::min(ideal, from.seconds), std::max(ideal, from.seconds)};
  }

  PlanRange number_of_runs(const KnownTime* near, bool inside) const {
    if (inside) return {static_cast<double>(spec_.inside), static_cast<double>(spec_.inside)};
    const double warm_up = spec_.warm_up_runs.value_or(0);
    if (spec_.runs) return {*spec_.runs + warm_up, *spec_.runs + warm_up};
    if (near != nullptr && near->deviation && near->seconds > 0) {
      const double runs = runs_for(spec_, *near->deviation / near->seconds) + warm_up;
      return {runs, runs};
    }
    return {static_cast<double>(fewest_runs(spec_)) + warm_up,
            runs_for(spec_, kUnknownDeviation) + warm_up};
  }

  const MeasureSpec& spec_;
  std::span<const KnownTime> known_;
  PlanStart start_;
};

/// The share of a cost that a budget allows.
double allowed_share(double cost, std::optional<double> budget) {
  return budget && cost > *budget ? *budget / cost : 1;
}

/// Without any limit.
PlanCost full_cost(const std::vector<PlannedRun>& runs) {
  PlanCost cost;
  for (const PlannedRun& run : runs) {
    const PlanRange time = {run.runs.low * run.seconds->low, run.runs.high * run.seconds->high};
    const double hours = run.workers / kSecondsAnHour;
    cost.seconds = {cost.seconds.low + time.low, cost.seconds.high + time.high};
    cost.worker_hours = {cost.worker_hours.low + time.low * hours,
                         cost.worker_hours.high + time.high * hours};
  }
  return cost;
}

/// What is left of a budget.
std::optional<double> rest_of(std::optional<double> budget, double used) {
  if (budget) *budget = std::max(0.0, *budget - used);
  return budget;
}

PlanCost cost_of(const MeasureSpec& spec, const std::vector<PlannedRun>& runs,
                 std::span<const KnownTime> known, PlanStart start) {
  PlanCost cost = full_cost(runs);
  double seconds = 0, worker_hours = 0;
  for (const KnownTime& one : start == PlanStart::kGoesOn ? known : std::span<const KnownTime>()) {
    const double used = one.seconds * static_cast<double>(one.runs);
    seconds += used;
    worker_hours += used * one.workers / kSecondsAnHour;
  }
  const std::optional<double> time = rest_of(spec.budget_seconds, seconds);
  const std::optional<double> hours = rest_of(spec.budget_worker_hours, worker_hours);
  // All K run by turns: what ends the study early ends time and worker-hours in proportion.
  const auto share = [&](double PlanRange::*end) {
    return std::min(allowed_share(cost.seconds.*end, time),
                    allowed_share(cost.worker_hours.*end, hours));
  };
  const double low = share(&PlanRange::low), high = share(&PlanRange::high);
  cost.limited_by_budget = high < 1;
  cost.seconds = {cost.seconds.low * low, cost.seconds.high * high};
  cost.worker_hours = {cost.worker_hours.low * low, cost.worker_hours.high * high};
  return cost;
}

/// As if one run at the smallest K took one second.
Result<RelativeCost> relative_cost(const MeasureSpec& spec,
                                   const std::vector<PlannedRun>& planned) {
  const auto smallest = static_cast<int>(spec.workers.front());
  const KnownTime unit{.workers = smallest, .seconds = 1};
  const Planner planner(spec, {&unit, 1}, PlanStart::kNew);
  std::vector<PlannedRun> runs;
  for (const PlannedRun& run : planned) {
    KSTAR_TRY(PlannedRun line, planner.line(run.role, run.workers, run.inside));
    runs.push_back(std::move(line));
  }
  const PlanCost cost = full_cost(runs);
  return RelativeCost{.workers = smallest,
                      .time = cost.seconds,
                      .worker_time = {cost.worker_hours.low * kSecondsAnHour,
                                      cost.worker_hours.high * kSecondsAnHour}};
}

std::vector<std::string> assumptions_of(const MeasureSpec& spec, const MeasurePlan& plan) {
  std::vector<std::string> said;
  if (!plan.cost) {
    said.push_back(
        fmt::format("no times are known: --times {}:10s means that a run at K = {} takes 10 s, "
                    "--times FILE uses the times of a study",
                    plan.relative->workers, plan.relative->workers));
  }
  for (const PlannedRun& run : plan.runs) {
    if (run.role != Role::kBaseline || run.measured) continue;
    said.emplace_back(
        "the baseline is assumed to take as long as the program at K = 1 (set its time with "
        "--times baseline:9s)");
  }
  const auto carried = [&](const PlannedRun& run) {
    return plan.cost && !run.measured && run.role == Role::kParallel && !run.inside;
  };
  if (std::any_of(plan.runs.begin(), plan.runs.end(), carried)) {
    said.emplace_back(
        plan.regime == Regime::kStrong
            ? "a K without a time is assumed to lie between no speedup and ideal speedup from the "
              "nearest K with one"
            : "a K without a time is assumed to take as long as the nearest K with one");
  }
  const auto open = [](const PlannedRun& run) { return run.runs.low < run.runs.high; };
  if (std::any_of(plan.runs.begin(), plan.runs.end(), open)) {
    said.push_back(fmt::format(
        "the noise is unknown: {} runs at each K with none, {} with a standard deviation of {}",
        fewest_runs(spec), runs_for(spec, kUnknownDeviation), percent_text(kUnknownDeviation)));
  }
  if (!spec.setup.empty() || !spec.prepare.empty() || !spec.cleanup.empty()) {
    said.emplace_back("what --setup, --prepare and --cleanup take is not known, and not included");
  }
  return said;
}

}  // namespace

int fewest_runs(const MeasureSpec& spec) {
  if (spec.runs) return *spec.runs;
  const std::size_t wanted = fewest_study_runs(spec.precision);
  const std::size_t share = (wanted + points_of(spec) - 1) / points_of(spec);
  return std::min(static_cast<int>(std::max(StoppingRule{}.min_runs, share)), most_runs(spec));
}

std::string fewest_runs_words(const MeasureSpec& spec) {
  const int each = fewest_runs(spec);
  const std::size_t all = static_cast<std::size_t>(each) * points_of(spec);
  const std::string at_each = points_of(spec) == 1 ? "" : fmt::format(", {} at each K", each);
  if (spec.runs) return fmt::format("{}{}", count_text(all, "run"), at_each);
  const std::string reason = all < fewest_study_runs(spec.precision)
                                 ? fmt::format("--max-runs {} allows no more", spec.max_runs)
                                 : "fewer could miss rare slow runs";
  return fmt::format("at least {}{}, for +-{} ({}); at most {} at each K", count_text(all, "run"),
                     at_each, percent_text(spec.precision), reason, most_runs(spec));
}

std::vector<KnownTime> known_times(const Study& study) {
  std::map<std::tuple<bool, Role, int>, std::vector<double>> times;
  for (const Run& run : study.runs) {
    if (run.wall && *run.wall > 0 && !failed(run) && !run.warm_up) {
      times[{is_profiled(run), run.role, run.workers}].push_back(*run.wall);
    }
  }
  std::vector<KnownTime> known;
  for (const auto& [key, walls] : times) {
    const auto& [inside, role, workers] = key;
    const auto n = static_cast<double>(walls.size());
    const double mean = std::accumulate(walls.begin(), walls.end(), 0.0) / n;
    KnownTime& one = known.emplace_back();
    one = {.workers = workers,
           .role = role,
           .seconds = mean,
           .deviation = {},
           .runs = walls.size(),
           .inside = inside};
    if (walls.size() < 2) continue;
    double squares = 0;
    for (const double wall : walls) squares += (wall - mean) * (wall - mean);
    one.deviation = std::sqrt(squares / (n - 1));
  }
  return known;
}

int first_inside_block(const MeasureSpec& spec) {
  if (spec.warm_up_runs) return *spec.warm_up_runs;
  return spec.runs ? std::min(1, *spec.runs - spec.inside) : 1;
}

std::vector<std::size_t> block_order(std::uint64_t seed, std::uint64_t block, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Blocks are independent of one another: a resumed study need not replay the earlier ones.
  constexpr std::uint64_t kOddStep = 0x9E3779B97F4A7C15U;
  Random(seed + kOddStep * (block + 1)).shuffle(std::span<std::size_t>(order));
  return order;
}

Result<MeasurePlan> plan_measurement(const MeasureSpec& spec, std::span<const KnownTime> known,
                                     PlanStart start) {
  KSTAR_TRY(std::vector<Note> warnings, check_spec(spec));
  MeasurePlan plan;
  plan.regime = regime_of(spec);
  plan.warnings = std::move(warnings);
  const Planner planner(spec, known, start);
  std::vector<std::tuple<Role, std::int64_t, bool>> lines;
  if (!spec.baseline.empty()) lines.emplace_back(Role::kBaseline, 1, false);
  for (const std::int64_t k : spec.workers) lines.emplace_back(Role::kParallel, k, false);
  for (const std::int64_t k : spec.workers) {
    if (spec.inside > 0) lines.emplace_back(Role::kParallel, k, true);
  }
  for (const auto& [role, workers, inside] : lines) {
    KSTAR_TRY(PlannedRun line, planner.line(role, workers, inside));
    plan.runs.push_back(std::move(line));
  }
  if (spec.seed != 0) {
    plan.seed = spec.seed;
    plan.first_block = block_order(spec.seed, 0, plan.runs.size());
    std::erase_if(plan.first_block, [&](std::size_t index) {
      return plan.runs[index].inside && first_inside_block(spec) > 0;
    });
  }
  if (!known.empty()) {
    plan.cost = cost_of(spec, plan.runs, known, start);
  } else {
    KSTAR_TRY(RelativeCost relative, relative_cost(spec, plan.runs));
    plan.relative = relative;
  }
  if (!spec.runs) plan.fewest = fewest_runs_words(spec);
  plan.assumptions = assumptions_of(spec, plan);
  if (const auto launch = launch_at(spec, Role::kParallel, spec.workers.back()); !launch) {
    plan.assumptions.push_back(fmt::format("the command lines are shown without the launcher: {}",
                                           printable(launch.error().message)));
  }
  return plan;
}

}  // namespace kstar
