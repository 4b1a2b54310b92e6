#include "compare/side.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar::comparing {

namespace {

void set_hidden(Side& side) {
  const Digits digits = digits_of(side.study, side.kind);
  for (const auto& [workers, samples] : side.times) {
    side.hidden[workers] = hidden_by_rounding(samples, digits);
  }
  const ScalingTable& table = side.analysis.table;
  std::vector<double> base;
  for (const Run& run : side.study.runs) {
    const bool own = run.role == Role::kBaseline || run.workers == table.base_workers;
    if (run.role == table.base_role && own && counts(run)) base.push_back(*steady_time(run));
  }
  side.hidden_of_base = hidden_by_rounding(base, digits);
}

}  // namespace

Result<Side> side_of(const Study& study, const std::set<int>& workers,
                     const CompareOptions& options) {
  Side side;
  side.study = restricted(study, workers);
  side.times = times_of(side.study);
  side.kind = time_kind(side.study);
  Result<Analysis> analysis = analyze(side.study, {.threshold = options.threshold,
                                                   .confidence = options.confidence,
                                                   .regime = options.regime,
                                                   .model = options.model,
                                                   .resamples = options.resamples,
                                                   .seed = options.seed});
  if (!analysis) return fail(analysis.error());
  side.analysis = std::move(*analysis);
  set_hidden(side);
  return side;
}

const ScalingPoint& point_at(const Side& side, int workers) {
  const auto& points = side.analysis.table.points;
  return *std::find_if(points.begin(), points.end(), [workers](const ScalingPoint& point) {
    return point.role == Role::kParallel && point.workers == workers;
  });
}

bool same_seconds(const Side& before, const Side& after) {
  return before.kind == after.kind && before.kind != TimeKind::kShare;
}

bool same_base(const Side& before, const Side& after) {
  const ScalingTable &a = before.analysis.table, &b = after.analysis.table;
  const auto fixed_work = [](const ScalingTable& table) {
    return table.regime == Regime::kStrong || table.regime == Regime::kThroughput;
  };
  const bool same_formula = a.regime == b.regime || (fixed_work(a) && fixed_work(b));
  return same_formula && a.base_workers == b.base_workers && a.base_role == b.base_role;
}

Scope scope_of(const Side& side) {
  return side.analysis.table.points.front().time.scope;
}

std::set<int> workers_in(const Times& times) {
  std::set<int> workers;
  for (const auto& [k, samples] : times) workers.insert(k);
  return workers;
}

std::string list_text(const std::set<int>& workers) {
  std::string text;
  for (const int k : workers) text += fmt::format("{}{}", text.empty() ? "" : ", ", k);
  return text.empty() ? "none" : text;
}

}  // namespace kstar::comparing
