#pragma once

#include "kstar/export.h"

/// Probabilities that rank intervals and tests of counts are made with.
namespace kstar {

/// P(X <= k), X of the binomial distribution; `trials` need not be whole.
KSTAR_EXPORT double binomial_below(double k, double trials, double probability);

/// P(X > x), X of the chi-squared distribution.
KSTAR_EXPORT double chi_squared_beyond(double x, double degrees);

/// P(X <= k), X of the Poisson distribution.
KSTAR_EXPORT double poisson_below(double k, double mean);

}  // namespace kstar
