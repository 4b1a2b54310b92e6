#include "kstar/thresholds.h"

#include <algorithm>
#include <cmath>

#include "analysis/fit/efficiency_curve.h"
#include "analysis/fit/measured_curve.h"
#include "kstar/curve_draws.h"

namespace kstar {

namespace {

std::vector<double> workers_of(const EfficiencyCurve& curve) {
  std::vector<double> workers;
  for (const EfficiencyCurve::Point& point : curve.points) workers.push_back(point.workers);
  return workers;
}

/// E of every drawn curve at every K over its own base: S K0/K, where the work grows T(K0)/T(K).
std::vector<std::vector<double>> drawn_efficiencies(const CurveDraws& draws, bool grows) {
  std::vector<std::vector<double>> all;
  for (const std::vector<double>& times : draws.times) {
    std::vector<double>& one = all.emplace_back();
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double growth = grows ? 1 : draws.workers[i] / draws.workers[0];
      one.push_back(times[0] / times[i] / growth);
    }
  }
  return all;
}

/// How likely each K is the first below the threshold; the last: none is.
std::vector<double> chances_of(const std::vector<std::vector<double>>& efficiencies,
                               double threshold) {
  std::vector<double> chances(efficiencies[0].size() + 1, 0);
  for (const std::vector<double>& one : efficiencies) {
    const auto bad = std::find_if(one.begin(), one.end(), [&](double e) { return e < threshold; });
    chances[static_cast<std::size_t>(bad - one.begin())] +=
        1 / static_cast<double>(efficiencies.size());
  }
  return chances;
}

/// Empty where the curve does not say how sure the bend is: analyze() resamples then.
std::vector<std::vector<double>> efficiencies_of(const SampleGroups& groups,
                                                 const Analysis& analysis,
                                                 const EfficiencyCurve& curve) {
  const ScalingTable& table = analysis.table;
  const bool known = analysis.models && table.base_role == Role::kParallel &&
                     analysis.models->bend_chances.size() == curve.points.size() + 1;
  // A record of work other than K itself makes E of growing work something else than T(K0)/T(K).
  const bool even = std::all_of(
      curve.points.begin(), curve.points.end(), [&](const EfficiencyCurve::Point& point) {
        const ScalingPoint* at = point_at(table, Role::kParallel, point.workers);
        const ScalingPoint* base = point_at(table, Role::kParallel, table.base_workers);
        if (at == nullptr || base == nullptr || table.regime != Regime::kWeak) return true;
        constexpr double kSame = 1e-6;
        const double plain = base->time.point / at->time.point;
        return std::fabs(point.efficiency.point / plain - 1) < kSame;
      });
  if (!known || !even) return {};
  const Result<CurveDraws> draws = draw_curves(measured_curve(table, groups), workers_of(curve));
  return draws ? drawn_efficiencies(*draws, table.regime == Regime::kWeak)
               : std::vector<std::vector<double>>();
}

}  // namespace

std::vector<ThresholdAnswer> answers_at(const Study& study, const Analysis& analysis,
                                        std::span<const double> thresholds) {
  const SampleGroups groups = group_runs(study);
  const EfficiencyCurve curve = curve_of(analysis.table, groups);
  if (curve.points.size() < 2) return {};
  const std::vector<std::vector<double>> drawn = efficiencies_of(groups, analysis, curve);
  std::vector<int> workers;
  for (const EfficiencyCurve::Point& point : curve.points) workers.push_back(point.workers);
  std::vector<ThresholdAnswer> answers;
  for (const double threshold : thresholds) {
    const AnalysisOptions& options = analysis.options;
    BendAnswer found = find_bend(curve, {.threshold = threshold,
                                         .confidence = options.confidence,
                                         .resamples = drawn.empty() ? options.resamples : 0,
                                         .seed = options.seed});
    ThresholdAnswer answer{.threshold = threshold, .bend = found.bend, .advice = found.advice};
    answer.advice.least_time_workers = analysis.recommendation.least_time_workers;
    if (!drawn.empty()) {
      answer.bend_chances = chances_of(drawn, threshold);
      const double most_sure = analysis.models->single_values ? kSureOfSingle : 1;
      set_chances(workers, answer.bend_chances, options.confidence, most_sure, answer.bend,
                  &answer.advice);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

Analysis with_answer(const Analysis& analysis, const ThresholdAnswer& answer) {
  Analysis other = analysis;
  other.options.threshold = other.table.threshold = answer.threshold;
  other.bend = answer.bend;
  other.recommendation = answer.advice;
  if (other.models && !answer.bend_chances.empty()) {
    other.models->bend_chances = answer.bend_chances;
  }
  other.verdict = decide(other);
  other.verdict.machine_workers = analysis.verdict.machine_workers;
  other.verdict.next = analysis.verdict.next;
  return other;
}

}  // namespace kstar
