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

/// Of the study, when this K has n runs and the others have as many more as it.
std::size_t runs_in_all(const NoisePool& pool, std::size_t made, std::size_t n) {
  const std::size_t groups = std::max<std::size_t>(pool.groups, 1);
  return pool.runs + (n > made ? (n - made) * groups : 0);
}

/// What a verdict expects of runs to come, if what is known of the noise is true.
struct Outlook {
  const stats::PooledNoise& noise;
  const NoisePool& pool;
  std::size_t made = 0;
  double critical = 0;  ///< the quantile of the interval

  double half_width(std::size_t n) const {
    return critical * std::sqrt(noise.variance_of_mean(static_cast<double>(n))) +
           unseen_slowdown(runs_in_all(pool, made, n));
  }

  /// The first n, not below `least`, at which the interval is narrow enough: it narrows with n, so
  /// the range is halved.
  std::size_t runs_for(double precision, std::size_t least, std::size_t most) const {
    std::size_t low = std::min(least, most), high = most;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (half_width(middle) <= precision) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// On both sides, so that +- says all: slow runs that are missing raise the mean, and a slow one
/// among few has raised it too much.
Estimate with_unseen(Estimate estimate, std::size_t runs) {
  const double unseen = estimate.point * unseen_slowdown(runs);
  estimate.low -= unseen;
  estimate.high += unseen;
  return estimate;
}

RunPrecision verdict_without_interval(const StoppingRule& rule) {
  return {.estimate = {.confidence = rule.confidence},
          .relative_half_width = std::numeric_limits<double>::infinity(),
          .runs_expected = rule.min_runs,
          .half_width_at_most = std::numeric_limits<double>::infinity()};
}

}  // namespace

double unseen_slowdown(std::size_t runs) {
  constexpr double kUnseen = 0.05, kSlower = 0.3;
  if (runs >= kStudyRuns) return 0;
  return kSlower * (1 - std::pow(kUnseen, 1 / static_cast<double>(std::max<std::size_t>(runs, 1))));
}

std::size_t fewest_study_runs(double precision) {
  std::size_t runs = 1;
  while (unseen_slowdown(runs) > precision) ++runs;
  return runs;
}

Result<Estimate> estimate_judged_mean(std::span<const double> samples, const NoisePool& pool,
                                      double confidence, Scope scope) {
  KSTAR_TRY(const Estimate plain, estimate_pooled_mean(samples, pool, confidence, scope));
  return with_unseen(plain, pool.runs);
}

Result<RunPrecision> judge(std::span<const double> samples, const NoisePool& pool,
                           const StoppingRule& rule) {
  KSTAR_CHECK(check_rule(rule));
  KSTAR_CHECK(stats::check_pooled(samples, pool, rule.confidence));
  const stats::Moments moments = stats::moments(samples);
  const std::size_t made = moments.n;
  RunPrecision verdict = verdict_without_interval(rule);
  if (made == 1) {
    verdict.estimate = stats::no_interval(moments.mean, 1, rule.confidence, Scope::kOneSession);
    return verdict;
  }
  const stats::PooledNoise noise = stats::pooled_noise(samples, moments, pool);
  const Estimate plain =
      stats::pooled_estimate(moments, noise, rule.confidence, Scope::kOneSession);
  const double critical = (plain.high - plain.point) / plain.standard_error;
  const Outlook outlook{noise, pool, made, std::isfinite(critical) ? critical : 0};
  verdict.estimate = with_unseen(plain, pool.runs);
  verdict.relative_half_width = (verdict.estimate.high - plain.point) / plain.point;
  verdict.precise = made >= rule.min_runs && verdict.relative_half_width <= rule.precision;
  verdict.done = verdict.precise || made >= rule.max_runs;
  const std::size_t least = std::max(rule.min_runs, made + 1);
  verdict.runs_expected =
      verdict.done ? made : outlook.runs_for(rule.precision, least, rule.max_runs);
  verdict.half_width_at_most = outlook.half_width(std::max(made, rule.max_runs));
  return verdict;
}

Result<std::vector<RunPrecision>> judge_all(std::span<const std::vector<double>> groups,
                                            const StoppingRule& rule) {
  KSTAR_CHECK(check_rule(rule));
  KSTAR_TRY(const auto pool, pool_noise(groups));
  std::vector<RunPrecision> verdicts;
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
