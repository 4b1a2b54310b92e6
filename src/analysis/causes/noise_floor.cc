#include "analysis/causes/noise_floor.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kstar::causes {

double normal_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  // Winitzki's closed form (2008), good to 0.002, then Newton's method: four steps give all digits.
  constexpr double kA = 0.147;
  const double tails = std::log(4 * p * (1 - p));
  const double half = 2 / (std::numbers::pi * kA) + tails / 2;
  double z = std::numbers::sqrt2 * std::sqrt(std::sqrt(half * half - tails / kA) - half);
  if (p < 0.5) z = -z;
  for (int i = 0; i < 4; ++i) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double off = p < 0.5 ? normal_tail(-z) - p : (1 - p) - normal_tail(z);
    const double step = off / density;
    z -= step / (1 + z * step / 2);  // Halley's
  }
  return z;
}

double expected_largest(std::size_t n) {
  if (n < 2) return 0;
  const auto count = static_cast<double>(n);
  return normal_quantile((count - 0.375) / (count + 0.25));
}

double largest_deviation(double deviation, double degrees, double confidence) {
  const double spread = 2 / (9 * degrees);
  const double root = 1 - spread - normal_quantile(confidence) * std::sqrt(spread);
  constexpr double kLeast = 0.05;  // below, the approximation is none; a factor of 90 says enough
  return deviation / std::sqrt(std::pow(std::max(root, kLeast), 3));
}

double quantile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace kstar::causes
