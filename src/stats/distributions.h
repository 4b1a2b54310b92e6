#pragma once

#include <cstddef>

/// The quantiles that intervals are made with. Boost.Math is heavy to compile: the source of this
/// header is the only file that includes it.
namespace kstar::stats {

/// The t with P(|T| <= t) = confidence, T of Student's distribution. `degrees` need not be whole.
double student_t_critical(double confidence, double degrees);

/// P(T > t).
double student_t_tail(double t, double degrees);

/// The z with P(|Z| <= z) = confidence, Z standard normal: 1.96 for 0.95.
double normal_critical(double confidence);

/// P(X <= k) of n throws of a fair coin.
double fair_coin_cdf(std::size_t k, std::size_t n);

}  // namespace kstar::stats
