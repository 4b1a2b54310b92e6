#pragma once

#include <span>

#include "kstar/noise_pool.h"
#include "stats/moments.h"

/// The parts of pooling that single estimators share.
namespace kstar::stats {

/// How much more the mean of n samples scatters when each resembles the last by `rho`, as in a
/// first-order autoregression: Var(mean) = sigma^2 / n times this.
double autoregressive_factor(double rho, double n);

/// A lag-1 correlation without the bias of few samples, and one over its variance.
struct Correlation {
  double value = 0;
  double weight = 0;
};

/// From r, the NIST autocorrelation of n samples. Weight zero below four samples.
Correlation unbiased_correlation(double r, double n);

/// What is believed before there are data: machines show 0.1 to 0.45 between neighbouring runs.
Correlation prior_correlation();

/// Correlations outside of these are taken for chance.
double plausible_correlation(double rho);

/// Of the mean of `samples`, at least two, relative to it.
struct PooledNoise {
  double variance = 0;     ///< of one sample, relative to the mean's square
  double correlation = 0;  ///< of the next one with it
  double persistence = 1;
  double degrees = 0;  ///< of freedom, of the mean's variance

  /// The variance of the mean of n samples.
  double variance_of_mean(double n) const;
};

/// What both the estimate and the judgement ask for: positive samples, a pool that is not empty.
Result<void> check_pooled(std::span<const double> samples, const NoisePool& pool,
                          double confidence);

PooledNoise pooled_noise(std::span<const double> samples, const Moments& moments,
                         const NoisePool& pool);

/// The interval around a mean with that noise.
Estimate pooled_estimate(const Moments& moments, const PooledNoise& noise, double confidence,
                         Scope scope);

}  // namespace kstar::stats
