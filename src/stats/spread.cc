#include "stats/spread.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/moments.h"

namespace kstar {

namespace {

// Reached only by series that drift; the sum over lags is quadratic without it.
constexpr std::size_t kLongestLag = 2000;

std::vector<double> deviations(std::span<const double> samples, double mean) {
  std::vector<double> result(samples.size());
  std::transform(samples.begin(), samples.end(), result.begin(),
                 [mean](double sample) { return sample - mean; });
  return result;
}

/// sum_{i=1}^{n-lag} d_i d_{i+lag}
double lagged_product(std::span<const double> deviation, std::size_t lag) {
  stats::Sum sum;
  for (std::size_t i = 0; i + lag < deviation.size(); ++i) {
    sum.add(deviation[i] * deviation[i + lag]);
  }
  return sum.value();
}

}  // namespace

Result<double> autocorrelation(std::span<const double> samples, std::size_t lag) {
  KSTAR_CHECK(stats::check_samples("samples", samples));
  if (lag >= samples.size()) {
    return fail(expected("lag", "less than the " + std::to_string(samples.size()) + " samples",
                         std::to_string(lag)));
  }
  const auto deviation = deviations(samples, stats::moments(samples).mean);
  const double squares = lagged_product(deviation, 0);
  if (squares == 0) return fail(expected("samples", "samples that differ", "all equal"));
  return lagged_product(deviation, lag) / squares;
}

// n_eff = n / (1 + 2 sum_{k=1}^{m} (1 - k/n) rho_k),  rho_k = r_k + 1/n,
// where m is the last lag before rho first falls to zero or below: beyond that r_k is noise.
// Bayley and Hammersley, The "effective" number of independent observations in an autocorrelated
// time series, JRSS Supplement 8 (1946), for the sum; Zieba and Ramza, Standard deviation of the
// mean of autocorrelated observations, Metrology and Measurement Systems 18 (2011), for its end.
// 1/n gives back what r_k loses, to first order, because the mean comes from the same samples:
// with few samples that is as large as the correlation itself.
double stats::effective_sample_size(std::span<const double> samples, double mean) {
  const auto deviation = deviations(samples, mean);
  const auto n = static_cast<double>(samples.size());
  const double squares = lagged_product(deviation, 0);
  if (squares == 0) return n;
  double factor = 1;
  const std::size_t longest = std::min(kLongestLag, samples.size() - 1);
  for (std::size_t lag = 1; lag <= longest; ++lag) {
    const double rho = lagged_product(deviation, lag) / squares + 1 / n;
    if (rho <= 0) break;
    factor += 2 * (1 - static_cast<double>(lag) / n) * rho;
  }
  return std::clamp(n / factor, 1.0, n);
}

Result<double> effective_sample_size(std::span<const double> samples) {
  KSTAR_CHECK(stats::check_samples("samples", samples));
  return stats::effective_sample_size(samples, stats::moments(samples).mean);
}

}  // namespace kstar

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
