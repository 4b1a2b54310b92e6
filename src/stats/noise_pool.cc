#include "kstar/noise_pool.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/group_noise.h"
#include "stats/interval.h"
#include "stats/noise.h"

namespace kstar {

namespace {

using stats::Correlation;
using stats::GroupNoise;

// Persistence beyond lag 1 is believed by this many runs less than there are.
constexpr double kPersistencePrior = 100;

// The mean of the groups' correlations and of the prior, each by its weight, and how much more
// the groups differ than that allows (DerSimonian and Laird, Controlled Clinical Trials 7, 1986).
void pool_correlation(NoisePool& pool, std::span<const GroupNoise> groups) {
  Correlation sum = stats::prior_correlation();
  sum.value *= sum.weight;
  for (const GroupNoise& group : groups) {
    sum.value += group.correlation.weight * group.correlation.value;
    sum.weight += group.correlation.weight;
  }
  pool.correlation = stats::plausible_correlation(sum.value / sum.weight);
  pool.correlation_weight = sum.weight;

  double seen = 0, weight = 0, count = 0;
  for (const GroupNoise& group : groups) {
    if (group.correlation.weight <= 0) continue;
    const double difference = group.correlation.value - pool.correlation;
    seen += group.correlation.weight * difference * difference;
    weight += group.correlation.weight;
    ++count;
  }
  if (count >= 2) pool.correlation_spread = std::max(0.0, (seen - (count - 1)) / weight);
}

// A K below 1 does not outweigh one above: who stops too early is not looked at again.
void pool_persistence(NoisePool& pool, std::span<const GroupNoise> groups) {
  double sum = kPersistencePrior, weight = kPersistencePrior;
  for (const GroupNoise& group : groups) {
    if (group.persistence <= 0) continue;
    sum += group.n * std::max(group.persistence, 1.0);
    weight += group.n;
  }
  pool.persistence = sum / weight;

  double seen = 0, certainty = 0, count = 0;
  for (const GroupNoise& group : groups) {
    if (group.persistence <= 0) continue;
    const double difference = group.persistence / pool.persistence - 1;
    seen += difference * difference / group.persistence_error;
    certainty += 1 / group.persistence_error;
    ++count;
  }
  if (count >= 2) pool.persistence_spread = std::max(0.0, (seen - (count - 1)) / certainty);
}

// Within groups, so that a K that is noisier than the others is not taken for rare slow runs.
void pool_kurtosis(NoisePool& pool, std::span<const GroupNoise> groups) {
  double cumulant = 0, squared = 0;
  for (const GroupNoise& group : groups) {
    cumulant += group.n * group.fourth_cumulant;
    squared += group.n * group.variance_squared;
  }
  const auto most = static_cast<double>(pool.runs);  // what one slow run among them makes
  if (cumulant <= 0) return;
  pool.kurtosis = squared > 0 ? std::min(cumulant / squared, most) : most;
}

// The groups' variances differ by sampling (v, relative) and truly (spread):
//   E[(s^2 / mean s^2 - 1)^2] = spread + v (1 + spread).
void pool_variance(NoisePool& pool, std::span<const GroupNoise> groups) {
  std::vector<double> variances;
  double error = 0;
  for (const GroupNoise& group : groups) {
    const double rho = stats::shrunken_correlation(group, pool).value;
    const double persistence = stats::shrunken_persistence(group, pool).value;
    variances.push_back(stats::unbiased_variance(group, rho, persistence));
    pool.relative_variance += variances.back();
    error += stats::variance_error(group, rho, pool.kurtosis);
  }
  const auto count = static_cast<double>(groups.size());
  pool.relative_variance /= count;
  error /= count;
  if (groups.size() < 2 || pool.relative_variance <= 0) return;
  double seen = 0;
  for (const double variance : variances) {
    const double difference = variance / pool.relative_variance - 1;
    seen += difference * difference;
  }
  pool.variance_spread = std::max(0.0, (seen / (count - 1) - error) / (1 + error));
}

}  // namespace

Result<NoisePool> pool_noise(std::span<const std::vector<double>> groups) {
  NoisePool pool;
  std::vector<GroupNoise> noise;
  for (const auto& samples : groups) {
    if (samples.empty()) continue;
    if (auto checked = stats::check_positive("samples", samples); !checked) {
      return fail(checked.error());
    }
    if (samples.size() < 2) continue;
    noise.push_back(stats::group_noise(samples, stats::moments(samples)));
    pool.runs += samples.size();
  }
  pool.groups = noise.size();
  pool_correlation(pool, noise);
  if (noise.empty()) return pool;
  pool_persistence(pool, noise);
  pool_kurtosis(pool, noise);
  pool_variance(pool, noise);
  return pool;
}

// The variance is Z own + (1 - Z) pool; its relative error, and that of the factor for
// correlation, give the degrees of freedom 2 / error, after Satterthwaite (1946).
stats::PooledNoise stats::pooled_noise(std::span<const double> samples, const Moments& moments,
                                       const NoisePool& pool) {
  const GroupNoise group = group_noise(samples, moments);
  const Correlation rho = shrunken_correlation(group, pool);
  const Credible persistence = shrunken_persistence(group, pool);
  const double own = unbiased_variance(group, rho.value, persistence.value);
  const double error = variance_error(group, rho.value, pool.kurtosis);
  const bool alone = pool.groups < 2;
  const double z = alone ? 1 : pool.variance_spread / (pool.variance_spread + error);
  const double pool_error =
      alone ? 0 : (error + pool.variance_spread) / static_cast<double>(pool.groups);

  constexpr double kStep = 0.01;
  const double factor = autoregressive_factor(rho.value, group.n);
  const double slope = (autoregressive_factor(rho.value + kStep, group.n) - factor) / kStep;
  const double factor_error = slope * slope / (factor * factor * rho.weight);
  const double total =
      z * error + (1 - z) * (1 - z) * pool_error + factor_error + persistence.error;
  return {.variance = z * own + (1 - z) * pool.relative_variance,
          .correlation = rho.value,
          .persistence = persistence.value,
          .degrees = 2 / total};
}

Result<void> stats::check_pooled(std::span<const double> samples, const NoisePool& pool,
                                 double confidence) {
  if (auto checked = check_positive("samples", samples); !checked) return checked;
  if (samples.size() > 1 && (pool.groups == 0 || pool.correlation_weight <= 0)) {
    return fail(expected("pool", "the noise of these samples' groups", "an empty pool"));
  }
  return check_confidence(confidence);
}

Estimate stats::pooled_estimate(const Moments& moments, const PooledNoise& noise, double confidence,
                                Scope scope) {
  const double error = moments.mean * std::sqrt(noise.variance_of_mean(moments.count()));
  const double degrees = std::max(noise.degrees, 1.0);
  const double half = error * student_t_critical(confidence, degrees);
  return Estimate{.point = moments.mean,
                  .standard_error = error,
                  .low = moments.mean - half,
                  .high = moments.mean + half,
                  .confidence = confidence,
                  .n = moments.n,
                  .method = IntervalMethod::kPooled,
                  .scope = scope,
                  .degrees = degrees};
}

Result<Estimate> estimate_pooled_mean(std::span<const double> samples, const NoisePool& pool,
                                      double confidence, Scope scope) {
  if (auto checked = stats::check_pooled(samples, pool, confidence); !checked) {
    return fail(checked.error());
  }
  const stats::Moments moments = stats::moments(samples);
  if (moments.n == 1) return stats::no_interval(moments.mean, 1, confidence, scope);
  return stats::pooled_estimate(moments, stats::pooled_noise(samples, moments, pool), confidence,
                                scope);
}

}  // namespace kstar
