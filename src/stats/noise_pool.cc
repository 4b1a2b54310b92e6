#include "kstar/noise_pool.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/noise.h"

namespace kstar::stats {

namespace {

/// The noise of the runs at one K by themselves, relative to their mean.
struct GroupNoise {
  double n = 0;
  double variance = 0;           ///< with n - 1
  double fourth_cumulant = 0;    ///< unbiased; zero below four samples
  double variance_squared = 0;   ///< an unbiased estimate of sigma^4; may be negative
  Correlation correlation;       ///< weight zero where there is none to see
  double persistence = 0;        ///< zero below kPersistenceRuns samples
  double persistence_error = 0;  ///< its variance, relative to its square
};

/// A number and its squared relative error.
struct Credible {
  double value = 0;
  double error = 0;
};

// Fewer samples say nothing beyond lag 1.
constexpr std::size_t kPersistenceRuns = 20;

double lagged_sum(std::span<const double> deviation, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < deviation.size(); ++i) sum += deviation[i] * deviation[i + lag];
  return sum;
}

// Fisher's k-statistic k_4, and from it sigma^4: E[s^4] = sigma^4 (n + 1)/(n - 1) + kappa_4 / n.
// Fisher, Moments and product moments of sampling distributions, Proceedings of the London
// Mathematical Society 30 (1930).
void add_fourth_moments(GroupNoise& group, std::span<const double> deviation) {
  const double n = group.n;
  const double squared = group.variance * group.variance;
  group.variance_squared = squared * (n - 1) / (n + 1);
  if (n < 4) return;
  double fourth = 0;
  for (const double d : deviation) fourth += d * d * d * d;
  const double second = group.variance * (n - 1) / n;
  group.fourth_cumulant =
      n * ((n + 1) * fourth - 3 * n * (n - 1) * second * second) / ((n - 1) * (n - 2) * (n - 3));
  group.variance_squared = (squared - group.fourth_cumulant / n) * (n - 1) / (n + 1);
}

// The sum over lags k from 1 of (1 - k / width) times the lagged product. One pass from the end:
// the window of later samples moves along with its weights, so that a hundred thousand samples cost
// no more each than twenty.
double windowed_products(std::span<const double> deviation, double width) {
  const std::size_t last = static_cast<std::size_t>(std::ceil(width)) - 1;
  double plain = 0, weighted = 0, sum = 0;  // weights are width - k until the end
  for (std::size_t i = deviation.size(); i-- > 0;) {
    sum += deviation[i] * weighted;
    weighted += (width - 1) * deviation[i] - plain;
    plain += deviation[i];
    if (i + last >= deviation.size()) continue;
    weighted -= (width - static_cast<double>(last) - 1) * deviation[i + last];
    plain -= deviation[i + last];
  }
  return sum / width;
}

struct Persistence {
  double value = 0;
  double error = 0;
};

// The sum of the correlations over what the first alone promises, both through Bartlett's window
// of width L = 1.3 sqrt(n), so that what the window hides is hidden on both sides. Its relative
// variance is 4/n sum_{k>=2} (1 - k/L)^2 (Priestley, Spectral Analysis and Time Series, 1981,
// section 6.2.4, without the first lag, which cancels), times c (1 - rho^2). Simulated, c is 0.75
// to 1.2. It is 0.7 here, chosen on recorded noise: 0.9 costs "steps, weak" 1.26 instead of 1.22
// times the oracle's runs, and the others the same within chance.
Persistence persistence(std::span<const double> deviation, double squares, double first) {
  constexpr double kWindow = 1.3, kCancelled = 0.7, kLeast = 0.1, kMost = 10;
  const auto n = static_cast<double>(deviation.size());
  const double width = kWindow * std::sqrt(n);
  const double rho = std::max(plausible_correlation(first), 0.0);
  double weights = 0, promised = 1, power = 1, error = 0;
  for (std::size_t lag = 1; static_cast<double>(lag) < width; ++lag) {
    const double weight = 1 - static_cast<double>(lag) / width;
    power *= rho;
    promised += 2 * weight * power;
    weights += weight;
    if (lag > 1) error += 4 * weight * weight / n;
  }
  const double correlations = windowed_products(deviation, width) / squares + weights / n;
  const double seen = 1 + 2 * correlations * n / (n - 4);
  return {.value = std::clamp(seen / promised, kLeast, kMost),
          .error = kCancelled * error * (1 - rho * rho)};
}

/// Of at least two samples with a mean above zero.
GroupNoise group_noise(std::span<const double> samples, const Moments& moments) {
  GroupNoise group{.n = moments.count(),
                   .variance = moments.variance / (moments.mean * moments.mean)};
  std::vector<double> deviation(samples.size());
  std::transform(samples.begin(), samples.end(), deviation.begin(),
                 [&](double sample) { return sample / moments.mean - 1; });
  add_fourth_moments(group, deviation);
  const double squares = lagged_sum(deviation, 0);
  if (squares <= 0) return group;
  group.correlation = unbiased_correlation(lagged_sum(deviation, 1) / squares, group.n);
  if (samples.size() >= kPersistenceRuns) {
    const Persistence found = persistence(deviation, squares, group.correlation.value);
    group.persistence = found.value;
    group.persistence_error = found.error;
  }
  return group;
}

/// The correlation of one K: its own as far as the K differ, else the pool's.
// The credibility estimate: Z own + (1 - Z) pool, Z = spread / (spread + error of own).
// Buehlmann and Straub, Glaubwuerdigkeit fuer Schadensaetze, Mitteilungen der Vereinigung
// Schweizerischer Versicherungsmathematiker 70 (1970).
Correlation shrunken_correlation(const GroupNoise& group, const NoisePool& pool) {
  const double pool_error = 1 / pool.correlation_weight;
  if (group.correlation.weight <= 0 || pool.correlation_spread <= 0) {
    return {.value = pool.correlation, .weight = pool.correlation_weight};
  }
  const double error = 1 / group.correlation.weight;
  const double z = pool.correlation_spread / (pool.correlation_spread + error);
  return {.value = plausible_correlation(z * group.correlation.value + (1 - z) * pool.correlation),
          .weight = 1 / (z * error + (1 - z) * (1 - z) * pool_error)};
}

/// The persistence of one K: likewise.
// The same, with an error relative to the pool's. A K that looks calm by chance would stop on it
// and never be looked at again: what is its own is believed slowly.
Credible shrunken_persistence(const GroupNoise& group, const NoisePool& pool) {
  if (group.persistence <= 0) return {.value = pool.persistence};
  constexpr double kNothing = 60, kAll = 100;  // runs
  constexpr double kLeast = 0.3;
  const double error = group.persistence_error;
  const double trust = std::clamp((group.n - kNothing) / (kAll - kNothing), 0.0, 1.0);
  const double z = trust * pool.persistence_spread / (pool.persistence_spread + error);
  const double value = z * group.persistence + (1 - z) * pool.persistence;
  const auto groups = static_cast<double>(pool.groups);
  return {.value = std::max(value, kLeast),
          .error = z * error + (1 - z) * (1 - z) * error / groups};
}

/// The variance of one sample, without what correlated samples hide of it.
// E[s^2] = sigma^2 (n - f) / (n - 1), f the factor of the mean's variance.
double unbiased_variance(const GroupNoise& group, double rho, double persistence) {
  // Where f nears n, all samples together are worth one: then s^2 says nothing.
  constexpr double kLeastShare = 0.3;
  const double factor = persistence * autoregressive_factor(rho, group.n);
  return group.variance * (group.n - 1) / std::max(group.n - factor, kLeastShare * group.n);
}

/// The squared relative error of that variance, as an estimate.
// Var(s^2) = sigma^4 (2 / (n - 1) + kappa / n); correlation adds (1 + rho^2) / (1 - rho^2) to the
// first term.
double variance_error(const GroupNoise& group, double rho, double kurtosis) {
  return 2 / (group.n - 1) * (1 + rho * rho) / (1 - rho * rho) + kurtosis / group.n;
}

}  // namespace

}  // namespace kstar::stats

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
    KSTAR_CHECK(stats::check_positive("samples", samples));
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
  KSTAR_CHECK(stats::check_pooled(samples, pool, confidence));
  const stats::Moments moments = stats::moments(samples);
  if (moments.n == 1) return stats::no_interval(moments.mean, 1, confidence, scope);
  return stats::pooled_estimate(moments, stats::pooled_noise(samples, moments, pool), confidence,
                                scope);
}

}  // namespace kstar
