#pragma once

#include <span>

#include "kstar/noise_pool.h"
#include "stats/moments.h"
#include "stats/noise.h"

namespace kstar::stats {

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

/// Of at least two samples with a mean above zero.
GroupNoise group_noise(std::span<const double> samples, const Moments& moments);

/// The correlation of one K: its own as far as the K differ, else the pool's.
Correlation shrunken_correlation(const GroupNoise& group, const NoisePool& pool);

/// A number and its squared relative error.
struct Credible {
  double value = 0;
  double error = 0;
};

/// The persistence of one K: likewise.
Credible shrunken_persistence(const GroupNoise& group, const NoisePool& pool);

/// The variance of one sample, without what correlated samples hide of it.
double unbiased_variance(const GroupNoise& group, double rho, double persistence);

/// The squared relative error of that variance, as an estimate.
double variance_error(const GroupNoise& group, double rho, double kurtosis);

}  // namespace kstar::stats
