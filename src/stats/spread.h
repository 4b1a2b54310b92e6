#pragma once

#include <span>

#include "stats/moments.h"

namespace kstar::stats {

/// How far a mean scatters, and how well that is known.
struct Spread {
  double variance = 0;  ///< of the mean
  double degrees = 0;   ///< of freedom, of that variance; need not be whole
};

/// s^2 / n with n - 1 degrees of freedom.
Spread independent_spread(const Moments& moments);

/// Of samples in the order they were taken, each correlated with those before it.
Spread correlated_spread(std::span<const double> samples, const Moments& moments);

/// kstar::effective_sample_size of samples that were checked and whose mean is known.
double effective_sample_size(std::span<const double> samples, double mean);

}  // namespace kstar::stats
