#include "stats/moments.h"

#include <algorithm>
#include <limits>

#include "kstar/stats.h"

namespace kstar::stats {

namespace {

double mean_difference(std::span<const double> samples, double from) {
  Sum sum;
  for (const double sample : samples) sum.add(sample - from);
  return sum.value() / static_cast<double>(samples.size());
}

}  // namespace

// The corrected two-pass algorithm:
//   s^2 = (sum d_i^2 - (sum d_i)^2 / n) / (n - 1),  d_i = x_i - m.
// Chan, Golub and LeVeque, Algorithms for computing the sample variance, The American
// Statistician 37 (1983). The second term is zero but for the rounding of m.
Moments moments(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = mean_difference(samples, 0);
  mean += mean_difference(samples, mean);
  if (samples.size() == 1) {
    return {.n = 1, .mean = mean, .variance = std::numeric_limits<double>::quiet_NaN()};
  }
  Sum squares, rest;
  for (const double sample : samples) {
    squares.add((sample - mean) * (sample - mean));
    rest.add(sample - mean);
  }
  const double variance = (squares.value() - rest.value() * rest.value() / n) / (n - 1);
  return {.n = samples.size(), .mean = mean, .variance = std::max(variance, 0.0)};
}

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

}  // namespace kstar::stats

namespace kstar {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return stats::median_of_sorted(values);
}

double upper_median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace kstar
