#include "plan/several.h"

#include <algorithm>
#include <cmath>

#include "plan/interrupted.h"

namespace kstar::planning {

namespace {

double median_time(const PricedJob& priced, std::size_t at) {
  std::vector<double> times;
  for (const Priced& curve : priced.curves) times.push_back(curve.time[at]);
  return quantile(std::move(times), 0.5);
}

std::optional<double> time_to_fill(const Plan& plan) {
  for (const PlanAnswer& answer : plan.answers) {
    if (answer.goal.kind == GoalKind::kDeadline) return answer.goal.limit;
  }
  const auto& best = plan.answers.front().best;
  return best ? std::optional(best->time) : std::nullopt;
}

/// With T(K) = o(K) + d/K of one run, a problem of x times the divided work takes o(K) + x d/K, and
/// on one worker T(1) + (x - 1) d: serial part and overheads stay (Gustafson). A growing problem
/// does W(K) per run as it is.
LargerProblem larger_at(const PlanJob& job, const Plan& plan, std::size_t at, double time) {
  const double k = job.workers[at];
  const double quiet = undisturbed_time(plan.options.rates.interruptions, time, k);
  const double one_run = quiet / plan.work, useful = quiet / time;
  const double now = middle_time(job, at), base = middle_base(job);
  LargerProblem larger{.workers = k, .time = time};
  if (job.grows) {
    larger.size = one_run * job.work[at] / now;
    larger.efficiency = useful * base * job.work[at] / (now * k);
    return larger;
  }
  const double divided = job.parts->divided;
  larger.size = 1 + (one_run - now) * k / divided;
  larger.efficiency = useful * (base + (larger.size - 1) * divided) / (k * one_run);
  return larger;
}

}  // namespace

std::optional<ManyJobs> many_jobs(const PricedJob& priced, const PlanOptions& options) {
  if (!options.jobs || !options.pool) return std::nullopt;
  ManyJobs many{.jobs = *options.jobs, .pool = *options.pool};
  const std::vector<double>& workers = priced.job->workers;
  for (std::size_t i = 0; i < workers.size() && workers[i] <= many.pool; ++i) {
    if (!priced.fits[i]) continue;
    const double one = median_time(priced, i);
    const double at_once = std::min(std::floor(many.pool / workers[i]), many.jobs);
    const double time = std::ceil(many.jobs / at_once) * one;
    if (many.workers == 0 || time < many.time) {
      many.workers = workers[i];
      many.side_by_side = at_once;
      many.time = time;
    }
    many.wide_workers = workers[i];
    many.wide_time = many.jobs * one;
  }
  return many.workers > 0 ? std::optional(many) : std::nullopt;
}

std::vector<LargerProblem> larger_problems(const PlanJob& job, const Plan& plan) {
  std::vector<LargerProblem> all;
  const std::optional<double> time = time_to_fill(plan);
  if (!time || (!job.parts && !job.grows)) return all;
  for (const PlanRow& row : plan.rows) {
    const auto found = std::lower_bound(job.workers.begin(), job.workers.end(), row.point.workers);
    const auto at = static_cast<std::size_t>(found - job.workers.begin());
    const LargerProblem larger = larger_at(job, plan, at, *time);
    if (larger.size > 0 && !row.point.beyond) all.push_back(larger);
  }
  return all;
}

}  // namespace kstar::planning
