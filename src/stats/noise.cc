#include "stats/noise.h"

#include <algorithm>
#include <cmath>

namespace kstar::stats {

namespace {
// The prior is worth this many independent samples: enough to keep one short series from saying
// anything, too few to cost runs where many series say that there is no correlation.
constexpr double kPriorWeight = 8;
constexpr double kPriorCorrelation = 0.12;
constexpr double kLowestCorrelation = -0.3;
constexpr double kHighestCorrelation = 0.9;
}  // namespace

// 1 + 2 sum_{k=1}^{n-1} (1 - k/n) rho^k, summed.
double autoregressive_factor(double rho, double n) {
  const double rest = 1 - rho;
  return (1 + rho) / rest - 2 * rho * (1 - std::pow(rho, n)) / (n * rest * rest);
}

// E[r] = rho - (1 + 4 rho)/n + O(1/n^2). Marriott and Pope, Bias in the estimation of
// autocorrelations, Biometrika 41 (1954). The term 3/n^2 makes it hold from 5 samples on, to 0.02
// (by simulation). Var(r) = (n - 2)^2 / (n^2 (n - 1)) where there is no correlation (Moran, Some
// theorems on time series II, Biometrika 35, 1948), and undoing the bias magnifies that.
Correlation unbiased_correlation(double r, double n) {
  if (n < 4) return {};
  const double kept = 1 - 4 / n + 3 / (n * n);
  const double scatter = (n - 2) / (n * std::sqrt(n - 1));
  return {.value = (r + 1 / n) / kept, .weight = kept * kept / (scatter * scatter)};
}

Correlation prior_correlation() {
  return {.value = kPriorCorrelation, .weight = kPriorWeight};
}

double plausible_correlation(double rho) {
  return std::clamp(rho, kLowestCorrelation, kHighestCorrelation);
}

double PooledNoise::variance_of_mean(double n) const {
  return variance * persistence * autoregressive_factor(correlation, n) / n;
}

}  // namespace kstar::stats
