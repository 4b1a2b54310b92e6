#include "kstar/examine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/try.h"
#include "kstar/plan.h"

namespace kstar {

namespace {

Result<Plan> plan_of(const Subject& subject, const PlanOptions& options) {
  KSTAR_TRY(const PlanJob job, plan_job(subject.study, subject.analysis, {}));
  return make_plan(job, options);
}

/// How many times the largest K are drawn at most.
constexpr double kFarthest = 4;

/// The smallest and the largest K with a time; 0 where there is none.
std::pair<double, double> measured_span(const Study& study) {
  double first = 0, last = 0;
  for (const Run& run : study.runs) {
    if (run.role != Role::kParallel || !counts(run)) continue;
    const auto k = static_cast<double>(run.workers);
    first = first > 0 ? std::min(first, k) : k;
    last = std::max(last, k);
  }
  return {first, last};
}

}  // namespace

Result<Subject> examine(Study study, const ExamineOptions& options) {
  AnalysisOptions chosen = options.analysis;
  if (chosen.predict.empty()) chosen.predict = chart_workers(study);
  KSTAR_TRY(Analysis analysis, analyze(study, chosen));
  Subject subject{.name = options.name,
                  .study = std::move(study),
                  .analysis = std::move(analysis),
                  .audit = {},
                  .plan = {},
                  .plan_asked = options.plan_asked};
  if (options.plan) {
    Result<Plan> plan = plan_of(subject, *options.plan);
    if (plan) subject.plan = std::make_shared<const Plan>(std::move(*plan));
    if (!plan && options.plan_asked) return fail(plan.error());
  }
  if (!options.thresholds.empty()) {
    subject.thresholds = answers_at(subject.study, subject.analysis, options.thresholds);
  }
  if (!options.audit) return subject;
  KSTAR_TRY(Audit checked, audit(subject.study, subject.analysis, {.good = options.good}));
  subject.audit = std::move(checked);
  return subject;
}

std::vector<double> chart_workers(const Study& study) {
  const double last = measured_span(study).second;
  std::vector<double> workers;
  for (const double times : {1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, kFarthest}) {
    const double k = std::round(times * last);
    if (k > last && (workers.empty() || k > workers.back())) workers.push_back(k);
  }
  return workers;
}

std::vector<double> chart_workers(const Study& study, std::span<const Study> all) {
  const auto [first, last] = measured_span(study);
  std::vector<double> workers = chart_workers(study);
  for (const Study& other : all) {
    for (const double k : chart_workers(other)) {
      if (k >= first && k <= kFarthest * last) workers.push_back(k);
    }
  }
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

}  // namespace kstar
