#include "stats/group_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kstar::stats {

namespace {

// Fewer samples say nothing beyond lag 1.
constexpr std::size_t kPersistenceRuns = 20;

double lagged_product(std::span<const double> deviation, std::size_t lag) {
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

}  // namespace

GroupNoise group_noise(std::span<const double> samples, const Moments& moments) {
  GroupNoise group{.n = moments.count(),
                   .variance = moments.variance / (moments.mean * moments.mean)};
  std::vector<double> deviation(samples.size());
  std::transform(samples.begin(), samples.end(), deviation.begin(),
                 [&](double sample) { return sample / moments.mean - 1; });
  add_fourth_moments(group, deviation);
  const double squares = lagged_product(deviation, 0);
  if (squares <= 0) return group;
  group.correlation = unbiased_correlation(lagged_product(deviation, 1) / squares, group.n);
  if (samples.size() >= kPersistenceRuns) {
    const Persistence found = persistence(deviation, squares, group.correlation.value);
    group.persistence = found.value;
    group.persistence_error = found.error;
  }
  return group;
}

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

// E[s^2] = sigma^2 (n - f) / (n - 1), f the factor of the mean's variance.
double unbiased_variance(const GroupNoise& group, double rho, double persistence) {
  // Where f nears n, all samples together are worth one: then s^2 says nothing.
  constexpr double kLeastShare = 0.3;
  const double factor = persistence * autoregressive_factor(rho, group.n);
  return group.variance * (group.n - 1) / std::max(group.n - factor, kLeastShare * group.n);
}

// Var(s^2) = sigma^4 (2 / (n - 1) + kappa / n); correlation adds (1 + rho^2) / (1 - rho^2) to the
// first term.
double variance_error(const GroupNoise& group, double rho, double kurtosis) {
  return 2 / (group.n - 1) * (1 + rho * rho) / (1 - rho * rho) + kurtosis / group.n;
}

}  // namespace kstar::stats
