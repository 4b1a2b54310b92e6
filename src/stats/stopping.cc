#include "kstar/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/number.h"
#include "base/try.h"
#include "stats/check.h"
#include "stats/interval.h"
#include "stats/noise.h"

namespace kstar {

namespace {

Result<void> check_rule(const StoppingRule& rule) {
  if (!(rule.precision > 0 && rule.precision < std::numeric_limits<double>::infinity())) {
    return fail(expected("precision", "a number above zero", shortest(rule.precision)));
  }
  if (rule.min_runs < 2) {
    return fail(expected("min_runs", "2 or more", std::to_string(rule.min_runs)));
  }
  if (rule.max_runs < rule.min_runs) {
    return fail(expected("max_runs", "at least min_runs, " + std::to_string(rule.min_runs),
                         std::to_string(rule.max_runs)));
  }
  return stats::check_confidence(rule.confidence);
}

/// As many more as every K must make until the study has its least number. Not capped by max_runs:
/// a study that ends before it has seen enough is not precise, however narrow its intervals are.
std::size_t least_runs(const NoisePool& pool, const StoppingRule& rule, std::size_t made) {
  const std::size_t groups = std::max<std::size_t>(pool.groups, 1);
  const std::size_t missing = rule.study_runs > pool.runs ? rule.study_runs - pool.runs : 0;
  return std::max(rule.min_runs, made + (missing + groups - 1) / groups);
}

/// The first n, not below `least`, at which the interval is narrow enough, if what is known of the
/// noise is true.
std::size_t expected_runs(const stats::PooledNoise& noise, const StoppingRule& rule,
                          const Estimate& estimate, std::size_t least) {
  const double critical = (estimate.high - estimate.low) / 2 / estimate.standard_error;
  const double wanted = rule.precision * rule.precision / (critical * critical);
  // The variance falls with n: halve the range in which it passes what is wanted.
  std::size_t low = std::min(least, rule.max_runs), high = rule.max_runs;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (noise.variance_of_mean(static_cast<double>(middle)) <= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Verdict verdict_without_interval(const StoppingRule& rule) {
  return {.estimate = {.confidence = rule.confidence},
          .relative_half_width = std::numeric_limits<double>::infinity(),
          .runs_expected = rule.min_runs};
}

}  // namespace

Result<Verdict> judge(std::span<const double> samples, const NoisePool& pool,
                      const StoppingRule& rule) {
  KSTAR_CHECK(check_rule(rule));
  KSTAR_CHECK(stats::check_pooled(samples, pool, rule.confidence));
  const stats::Moments moments = stats::moments(samples);
  const std::size_t made = moments.n;
  Verdict verdict = verdict_without_interval(rule);
  if (made == 1) {
    verdict.estimate = stats::no_interval(moments.mean, 1, rule.confidence, Scope::kOneSession);
    return verdict;
  }
  const stats::PooledNoise noise = stats::pooled_noise(samples, moments, pool);
  const Estimate estimate =
      stats::pooled_estimate(moments, noise, rule.confidence, Scope::kOneSession);
  verdict.estimate = estimate;
  verdict.relative_half_width = (estimate.high - estimate.low) / 2 / estimate.point;
  const std::size_t least = least_runs(pool, rule, made);
  verdict.precise = made >= least && verdict.relative_half_width <= rule.precision;
  verdict.done = verdict.precise || made >= rule.max_runs;
  verdict.runs_expected =
      verdict.done ? made : expected_runs(noise, rule, estimate, std::max(least, made + 1));
  return verdict;
}

Result<std::vector<Verdict>> judge_all(std::span<const std::vector<double>> groups,
                                       const StoppingRule& rule) {
  KSTAR_CHECK(check_rule(rule));
  KSTAR_TRY(const auto pool, pool_noise(groups));
  std::vector<Verdict> verdicts;
  for (const auto& samples : groups) {
    if (samples.empty()) {
      verdicts.push_back(verdict_without_interval(rule));
      continue;
    }
    KSTAR_TRY(auto verdict, judge(samples, pool, rule));
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace kstar
