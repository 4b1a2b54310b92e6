#include "kstar/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/try.h"
#include "kstar/limits.h"
#include "plan/goals.h"
#include "plan/several.h"

namespace kstar {

namespace {

using planning::PricedJob;

Error needs_seconds(const std::string& flag) {
  return {.where = flag,
          .message = "needs times in seconds, but these are relative to the time on one worker",
          .hint = "say how long that is: --baseline-time 25h",
          .code = ExitCode::kUsage};
}

/// The first option that is about seconds or hours.
std::optional<std::string> timed_option(const PlanOptions& options) {
  const CostRates& rates = options.rates;
  if (rates.price) return "--price";
  if (rates.least_time > 0) return "--least-time";
  if (rates.interruptions.every > 0) return "--interrupted-every";
  if (rates.power.busy > 0) return "--watts";
  for (const Goal& goal : options.goals) {
    if (goal.in_seconds || goal.in_worker_time) return "--goal";
  }
  return std::nullopt;
}

Result<void> check(const PlanJob& job, const PlanOptions& options) {
  if (!job.seconds) {
    if (const auto flag = timed_option(options)) return fail(needs_seconds(*flag));
  }
  for (const Goal& goal : options.goals) {
    if (goal.in_worker_time && options.rates.price) {
      return fail({.where = "--goal",
                   .message = fmt::format("with --price a budget is money, in {}, not worker time",
                                          options.rates.currency),
                   .hint = "such as --goal 'budget 500'",
                   .code = ExitCode::kUsage});
    }
    if (goal.kind != GoalKind::kEfficiency || job.has_efficiency) continue;
    return fail({.where = "--goal",
                 .message = "no efficiency is known: the problem changes with K in a way that is "
                            "neither strong nor weak",
                 .hint = "choose a goal of time or cost"});
  }
  if (options.memory && job.memory.empty()) {
    return fail({.where = "--memory",
                 .message = "the study has no peak memory of its runs",
                 .hint = "say what the job needs: --needs-memory 80GB:2GB (divided among workers: "
                         "on each)"});
  }
  return {};
}

std::vector<Goal> goals_of(const PlanJob& job, const PlanOptions& options) {
  if (!options.goals.empty()) return options.goals;
  std::vector<Goal> goals = {
      {.kind = GoalKind::kKnee}, {.kind = GoalKind::kFastest}, {.kind = GoalKind::kCheapest}};
  const bool by_training = job.verdict && job.verdict->by_training && job.verdict->is_decided();
  if (job.has_efficiency || by_training) {
    const double limit = job.verdict ? job.verdict->threshold : kThreshold;
    goals.insert(goals.begin(), {.kind = GoalKind::kEfficiency, .limit = limit});
  }
  return goals;
}

/// Whole runs or, where the problem grows, what the largest measured run does.
double work_of(const PlanJob& job, const PlanOptions& options) {
  if (options.work) return *options.work;
  if (!job.grows || job.measured.empty()) return 1;
  const auto last = std::find(job.workers.begin(), job.workers.end(), job.measured.back());
  return last == job.workers.end() ? job.work.back()
                                   : job.work[static_cast<std::size_t>(last - job.workers.begin())];
}

std::optional<std::size_t> place_of(const PlanJob& job, double workers) {
  const auto found = std::lower_bound(job.workers.begin(), job.workers.end(), workers);
  if (found == job.workers.end() || *found != workers) return std::nullopt;
  return static_cast<std::size_t>(found - job.workers.begin());
}

/// The first K behind `from` that is slower than the one before it, by the median curve.
std::optional<double> turns_up(const PricedJob& priced, const PlanOptions& options, double work,
                               double from, double to) {
  const PlanJob& job = *priced.job;
  double before = 0;
  for (std::size_t i = 0; i < job.workers.size() && job.workers[i] <= to; ++i) {
    if (job.workers[i] < from) continue;
    const double time = point_at(priced, i, options, work).time;
    if (before > 0 && time > before * (1 + 1e-12)) return job.workers[i];
    before = time;
  }
  return std::nullopt;
}

Doubling doubling_of(const PlanPoint& from, const PlanPoint& to, bool seconds) {
  constexpr double kLittle = 0.01, kHour = 3600;
  Doubling next;
  next.saved = from.time - to.time;
  next.cost = to.cost - from.cost;
  next.kind = !(next.saved >= -1e-12 * from.time) ? DoublingKind::kSlower
              : next.saved < kLittle * from.time  ? DoublingKind::kNothing
                                                  : DoublingKind::kGains;
  if (next.saved > 0) next.per_hour = next.cost / (seconds ? next.saved / kHour : next.saved);
  return next;
}

void set_next(const PricedJob& priced, const PlanOptions& options, double work,
              PlanAnswer& answer) {
  if (!answer.best) return;
  const auto twice = place_of(*priced.job, 2 * answer.best->workers);
  if (!twice) return;
  answer.next =
      doubling_of(*answer.best, point_at(priced, *twice, options, work), priced.job->seconds);
}

/// Doublings of the smallest K: of a study to twice the largest measured, of a law until another
/// buys nothing.
std::vector<PlanRow> rows_of(const PricedJob& priced, const PlanOptions& options, double work) {
  constexpr std::size_t kMostRows = 12;
  const PlanJob& job = *priced.job;
  std::vector<PlanRow> rows;
  const double last = job.measured.empty() ? job.workers.back() : 2 * job.measured.back();
  for (double k = job.workers.front(); k <= last && rows.size() < kMostRows; k *= 2) {
    const auto at = place_of(job, k), twice = place_of(job, 2 * k);
    if (!at) continue;
    PlanRow row{.point = point_at(priced, *at, options, work), .next = std::nullopt};
    if (twice) {
      row.next = doubling_of(row.point, point_at(priced, *twice, options, work), job.seconds);
      if (row.next->kind == DoublingKind::kSlower) {
        row.next->slower_from = turns_up(priced, options, work, k, 2 * k);
      }
    }
    const bool ends = row.next && row.next->kind != DoublingKind::kGains && job.measured.empty();
    rows.push_back(std::move(row));
    if (ends) break;
  }
  return rows;
}

/// As many as a drawing needs, to twice the last row.
std::vector<PlanPoint> curve_of(const PricedJob& priced, const PlanOptions& options, double work,
                                double last) {
  constexpr double kStep = 1.06;
  const PlanJob& job = *priced.job;
  std::vector<PlanPoint> curve;
  for (std::size_t i = 0; i < job.workers.size() && job.workers[i] <= 2 * last; ++i) {
    const bool next = curve.empty() || job.workers[i] >= kStep * curve.back().workers;
    if (next) curve.push_back(point_at(priced, i, options, work));
  }
  return curve;
}

std::optional<Checkpoints> checkpoints_of(const PlanJob& job, const PlanOptions& options,
                                          const Plan& plan) {
  const Interruptions& given = options.rates.interruptions;
  if (given.every <= 0 || !plan.answers.front().best) return std::nullopt;
  Checkpoints all;
  all.workers = plan.answers.front().best->workers;
  all.between = given.every / all.workers;
  all.young = young_interval(given.checkpoint, all.between);
  all.daly = daly_interval(given.checkpoint, all.between);
  const std::size_t at = *place_of(job, all.workers);
  const double time = plan.work * planning::middle_time(job, at) / job.work[at];
  all.overhead = expected_time(given, time, all.workers) / time - 1;
  return all;
}

}  // namespace

Result<Plan> make_plan(const PlanJob& job, const PlanOptions& options) {
  KSTAR_CHECK(check(job, options));
  Plan plan{.title = job.title, .options = options};
  plan.options.goals = goals_of(job, options);
  plan.law = job.is_law();
  plan.seconds = job.seconds;
  plan.grows = job.grows;
  plan.has_efficiency = job.has_efficiency;
  plan.work = work_of(job, options);
  plan.largest_measured = job.measured.empty() ? 0 : job.measured.back();
  plan.measured = job.measured;
  plan.most_workers = job.workers.back();
  plan.doubt = job.doubt;
  plan.verdict = job.verdict;
  const PricedJob all = planning::priced(job, options, plan.work);
  if (std::none_of(all.fits.begin(), all.fits.end(), [](bool fits) { return fits; })) {
    const double least = *std::min_element(job.memory.begin(), job.memory.end());
    return fail(expected("--memory",
                         fmt::format("at least {} GB per worker: no K up to {} needs less",
                                     significant(least / 1e9, 3), shortest(job.workers.back())),
                         significant(*options.memory / 1e9, 3) + " GB"));
  }
  plan.rows = rows_of(all, options, plan.work);
  const double last = plan.rows.empty() ? job.workers.back() : plan.rows.back().point.workers;
  plan.curve = curve_of(all, options, plan.work, last);
  for (const Goal& goal : plan.options.goals) {
    plan.answers.push_back(answer_to(goal, all, options, plan.work));
    set_next(all, options, plan.work, plan.answers.back());
  }
  plan.many = planning::many_jobs(all, options);
  plan.larger = planning::larger_problems(job, plan);
  plan.checkpoints = checkpoints_of(job, options, plan);
  plan.notes = job.notes;
  return plan;
}

}  // namespace kstar
