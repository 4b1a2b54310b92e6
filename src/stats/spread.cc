#include "stats/spread.h"

#include <algorithm>

#include "stats/autocorrelation.h"

namespace kstar::stats {

Spread independent_spread(const Moments& moments) {
  return {.variance = moments.variance / moments.count(), .degrees = moments.count() - 1};
}

// Correlated samples scatter around their own mean less than around the true one:
//   E[s^2] = sigma^2 (n / (n - 1)) (1 - 1 / n_eff),  and Var(m) = sigma^2 / n_eff, so
//   Var(m) is estimated by s^2 (n - 1) / (n (n_eff - 1)).
// Zieba, Effective number of observations and unbiased estimators of variance for autocorrelated
// data, Metrology and Measurement Systems 17 (2010).
Spread correlated_spread(std::span<const double> samples, const Moments& moments) {
  const double degrees = effective_sample_size(samples, moments.mean) - 1;
  const double n = moments.count();
  return {.variance = moments.variance * (n - 1) / (n * degrees),
          // Below one degree of freedom t explodes, which would say more than is known.
          .degrees = std::max(degrees, 1.0)};
}

}  // namespace kstar::stats
