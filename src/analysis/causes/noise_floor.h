#pragma once

#include <cstddef>
#include <vector>

#include "kstar/stats.h"

/// What chance alone does, so that no cause is made of it.
namespace kstar::causes {

/// P(Z > z), Z standard normal.
double normal_tail(double z);

/// The z with P(Z <= z) = p, for 0 < p < 1.
double normal_quantile(double p);

/// The mean of the largest of n standard normal draws, n >= 1. Blom, Statistical Estimates and
/// Transformed Beta-Variables (1958).
double expected_largest(std::size_t n);

/// The largest true standard deviation that does not contradict `deviation`, one-sided. The
/// quantile of chi-square is Wilson and Hilferty's (1931).
double largest_deviation(double deviation, double degrees, double confidence);

/// Between the two nearest values, for 0 <= share <= 1; of at least one value.
double quantile_of(std::vector<double> values, double share);

/// With n - 1; 0 for fewer than two values.
double deviation_of(const std::vector<double>& values);

}  // namespace kstar::causes
