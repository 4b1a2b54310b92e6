#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/noise.h"
#include "stats/ratio.h"

// log(a/b) +- t sqrt(v),  t with n - 1 degrees of freedom and, by the delta method,
//   v = (s_a^2 / m_a^2 + s_b^2 / m_b^2 - 2 s_ab / (m_a m_b)) / n.
// That is the variance of d_i = a_i / m_a - b_i / m_b, over n: computed so, nothing cancels.
// Cochran, Sampling Techniques (3rd edition, 1977), section 6.3, on ratios of paired means.
//
// Where d_i resembles d_{i-1} the variance is that of a pool with this one series: s^2 and its
// lag-1 correlation without their bias, the correlation drawn to what machines show, and the errors
// of both in the degrees of freedom.
namespace kstar::stats {

namespace {

Spread correlated_differences(std::vector<double> differences) {
  // A pool knows times, which are above zero, relative to their mean: 1 + d has the mean 1.
  double least = 0;
  for (const double difference : differences) least = std::min(least, difference);
  const double shift = 1 - 2 * least;
  for (double& difference : differences) difference += shift;
  const NoisePool pool = pool_noise(std::vector<std::vector<double>>{differences}).value();
  const PooledNoise noise = pooled_noise(differences, moments(differences), pool);
  const auto n = static_cast<double>(differences.size());
  // Of a handful of pairs the correlation's own error leaves one degree of freedom, and an interval
  // of no use; two hold the promise as well (docs/statistics.md).
  const double least_degrees = std::min((n - 1) / 2, 2.0);
  return {.variance = noise.variance_of_mean(n) * shift * shift,
          .degrees = std::max(noise.degrees, least_degrees)};
}

}  // namespace

Estimate paired_ratio(std::span<const double> a, std::span<const double> b, bool correlated,
                      double confidence) {
  const double mean_a = moments(a).mean;
  const double mean_b = moments(b).mean;
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] / mean_a - b[i] / mean_b;
  const Spread spread = correlated ? correlated_differences(std::move(differences))
                                   : independent_spread(moments(differences));
  return log_interval(mean_a / mean_b, std::sqrt(spread.variance), spread.degrees, confidence);
}

}  // namespace kstar::stats
