#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "base/try.h"
#include "kstar/curve_draws.h"
#include "kstar/plan.h"
#include "plan/goals.h"

namespace kstar {

namespace {

/// Every integer up to `dense`, then one in every `step`: for curves that are smooth in log K.
std::vector<double> integers(double first, double last, double dense, double step) {
  std::vector<double> all;
  for (double k = first; k <= last; k = k < dense ? k + 1 : std::ceil(k * step)) all.push_back(k);
  if (!all.empty() && all.back() < last) all.push_back(last);
  return all;
}

std::vector<double> within(const UsableWorkers& range, std::vector<double> all) {
  if (!range.workers.empty()) all = range.workers;
  if (range.most_workers) {
    std::erase_if(all, [&](double k) { return k > *range.most_workers; });
  }
  return all;
}

std::vector<const ScalingPoint*> parallel_points(const ScalingTable& table) {
  std::vector<const ScalingPoint*> points;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) points.push_back(&point);
  }
  return points;
}

std::vector<double> usable_workers_of(const std::vector<const ScalingPoint*>& points,
                                      const UsableWorkers& range) {
  constexpr double kReach = 4, kDense = 256, kStep = 1.015;
  const double first = points.front()->workers, last = kReach * points.back()->workers;
  const double end = range.most_workers ? std::max(first, *range.most_workers) : last;
  std::set<double> all;
  for (const double k : integers(first, end, kDense, kStep)) all.insert(k);
  for (double k = first; k <= end; k *= 2) all.insert(k);
  for (const ScalingPoint* point : points) all.insert(point->workers);
  return within(range, {all.begin(), all.end()});
}

/// The work of one run at K over that of the smallest K: between the K that say it, along a line.
double work_at(const std::vector<const ScalingPoint*>& points, double workers) {
  const double first = points.front()->work;
  const ScalingPoint* before = points.front();
  for (const ScalingPoint* point : points) {
    if (workers <= point->workers && point != before) {
      const double share = (workers - before->workers) / (point->workers - before->workers);
      return (before->work + share * (point->work - before->work)) / first;
    }
    before = point;
  }
  return before->work / first * workers / before->workers;
}

/// Peak bytes per worker of one run: of its largest process, whose threads share it where the run
/// says how many they are. Where it does not, a worker may need all of it.
std::optional<double> memory_of(const Run& run) {
  if (!run.usage.peak_memory || !counts(run) || run.role != Role::kParallel) return std::nullopt;
  const double threads = run.threads ? *run.threads : 1;
  return static_cast<double>(*run.usage.peak_memory) / threads;
}

/// Measured at some K; elsewhere a + b/K through them, by least squares with a, b >= 0.
std::vector<double> memory_at(const Study& study, const std::vector<double>& workers) {
  std::map<double, double> most;
  for (const Run& run : study.runs) {
    if (const auto bytes = memory_of(run)) {
      double& known = most[run.workers];
      known = std::max(known, *bytes);
    }
  }
  if (most.empty()) return {};
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [k, bytes] : most) {
    n += 1, x += 1 / k, y += bytes, xx += 1 / (k * k), xy += bytes / k;
  }
  const double spread = xx - x * x / n;
  double shared = spread > 0 ? std::max(0.0, (xy - x * y / n) / spread) : 0;
  double own = (y - shared * x) / n;
  if (own < 0) own = 0, shared = xy / xx;
  std::vector<double> memory;
  for (const double k : workers) {
    const auto known = most.find(k);
    memory.push_back(known != most.end() ? known->second : own + shared / k);
  }
  return memory;
}

/// What the heaviest form says: its divided part, and the rest.
std::optional<PlanParts> parts_of(const Analysis& analysis, const PlanJob& job) {
  if (!analysis.models || job.grows) return std::nullopt;
  double divided = 0;
  for (const FittedTerm& term : analysis.models->models.front().terms) {
    if (term.role == TermRole::kParallel) divided = term.cost.point;
  }
  if (!(divided > 0)) return std::nullopt;
  PlanParts parts{.divided = divided, .communication = {}};
  for (std::size_t i = 0; i < job.workers.size(); ++i) {
    parts.communication.push_back(
        std::max(0.0, planning::middle_time(job, i) - divided / job.workers[i]));
  }
  return parts;
}

/// What was computed has no noise: every curve goes through it.
void take_as_computed(const std::vector<const ScalingPoint*>& points,
                      const std::vector<double>& workers, CurveDraws& draws) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto point = std::find_if(points.begin(), points.end(), [&](const ScalingPoint* each) {
      return each->workers == workers[i];
    });
    if (point == points.end()) continue;
    for (std::vector<double>& curve : draws.times) curve[i] = (*point)->time.point;
  }
}

void set_times(const CurveDraws& draws, PlanJob& job) {
  const double base_workers = draws.workers.front();  // asked for before those that may be used
  for (const std::vector<double>& curve : draws.times) {
    job.base.push_back(curve.front() * base_workers);
    job.times.emplace_back(curve.begin() + 1, curve.end());
  }
  job.run_factors = draws.run_factors;
}

/// A curve is drawn through what was measured: where no form holds that, nothing says what T does
/// at any other K.
std::string doubt_of(const Analysis& analysis) {
  if (analysis.verdict.computed) {
    const std::string condition = text_value(analysis.notes.front(), "if");
    return "the times are those of schedules of a graph (kstar dag)" +
           (condition.empty() ? "" : ", if " + condition);
  }
  if (analysis.verdict.reading_in_question) return "the numbers may not be what they are read as";
  if (!analysis.models) return "";
  const ModelFit& fit = *analysis.models;
  if (const auto& change = fit.goodness.change) {
    return fmt::format("T steps between K = {} and {}", shortest(change->from),
                       shortest(change->to));
  }
  if (fit.goodness.beyond_errors) return "no model holds these times within their errors";
  if (!fit.hindcast || fit.hindcast->held) return "";
  return fmt::format("the models miss the time at K = {} when it is held back",
                     shortest(fit.hindcast->workers));
}

}  // namespace

Result<PlanJob> plan_job(const Study& study, const Analysis& analysis, const UsableWorkers& range) {
  const std::vector<const ScalingPoint*> points = parallel_points(analysis.table);
  if (points.size() < 2) {
    return fail({.where = study.name.empty() ? "--data" : study.name,
                 .message = fmt::format("expected times at two K or more, got {}", points.size()),
                 .hint = "a plan needs to know how T changes with K"});
  }
  PlanJob job;
  job.title = study.header.title;
  job.seconds = !analysis.table.relative_times;
  job.has_efficiency = analysis.table.regime != Regime::kMixed;
  job.grows = analysis.table.regime == Regime::kWeak;
  job.workers = usable_workers_of(points, range);
  if (job.workers.empty() || job.workers.front() < points.front()->workers) {
    return fail(expected(
        "--workers", fmt::format("K from the smallest measured on, {}", points.front()->workers),
        job.workers.empty() ? "none" : shortest(job.workers.front())));
  }
  for (const ScalingPoint* point : points) job.measured.push_back(point->workers);
  for (const double k : job.workers) job.work.push_back(job.grows ? work_at(points, k) : 1);
  std::vector<double> asked = {static_cast<double>(points.front()->workers)};
  asked.insert(asked.end(), job.workers.begin(), job.workers.end());
  KSTAR_TRY(CurveDraws draws, draw_curves(measured_curve(study, analysis.table), asked));
  if (analysis.verdict.computed) take_as_computed(points, asked, draws);
  set_times(draws, job);
  if (analysis.table.base_role == Role::kBaseline) {
    job.notes.emplace_back(
        "E is relative to the program's own smallest K, not to the baseline program");
  }
  job.memory = memory_at(study, job.workers);
  job.parts = parts_of(analysis, job);
  job.doubt = doubt_of(analysis);
  job.verdict = analysis.verdict;
  return job;
}

PlanJob plan_job(const CostModel& model, double unit, const UsableWorkers& range) {
  constexpr double kMost = 1e6, kDense = 65536, kStep = 1.01;
  const double scale = unit > 0 ? unit : 1;
  PlanJob job;
  job.seconds = unit > 0;
  job.grows = model.work_growth != WorkGrowth::kFixed;
  const double last = range.most_workers.value_or(kMost);
  job.workers = within(range, integers(model.base_workers, last, kDense, kStep));
  const double base_work = work_at(model, model.base_workers);
  job.base = {scale * time_at(model, model.base_workers) * model.base_workers};
  job.times.resize(1);
  PlanParts parts{.divided = scale * model.parallel * (1 + model.imbalance), .communication = {}};
  for (const double k : job.workers) {
    job.times[0].push_back(scale * time_at(model, k));
    job.work.push_back(work_at(model, k) / base_work);
    parts.communication.push_back(scale * parts_at(model, k).exposed());
  }
  if (!job.grows && model.parallel > 0) job.parts = std::move(parts);
  return job;
}

void set_base_time(PlanJob& job, double seconds) {
  const double base = planning::middle_base(job);
  const double base_workers = job.measured.empty() ? 1 : job.measured.front();
  const double factor = seconds * base_workers / base;
  for (std::vector<double>& curve : job.times) {
    for (double& time : curve) time *= factor;
  }
  for (double& one : job.base) one *= factor;
  if (job.parts) {
    job.parts->divided *= factor;
    for (double& time : job.parts->communication) time *= factor;
  }
  job.seconds = true;
}

}  // namespace kstar
