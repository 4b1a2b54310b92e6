#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "stats/ratio.h"

// Draw as many samples as there are, with replacement, from each side; take the ratio of the
// means; repeat; the interval lies between two percentiles. Efron, Bootstrap methods: another look
// at the jackknife, Annals of Statistics 7 (1979); Efron and Tibshirani, An Introduction to the
// Bootstrap (1993), chapter 13.
//
// With n samples a resampled mean scatters by sqrt((n - 1) / n) of what it should, and normal
// instead of t percentiles are taken: with 3 samples it covers 80 % where 95 % was asked for.
namespace kstar::stats {

namespace {

double resampled_mean(std::span<const double> samples, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sum += samples[static_cast<std::size_t>(random.below(samples.size()))];
  }
  return sum / static_cast<double>(samples.size());
}

/// Linear between the order statistics: definition 7 of Hyndman and Fan, The American Statistician
/// 50 (1996).
double quantile_of_sorted(std::span<const double> sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace

Estimate bootstrap_ratio(std::span<const double> a, std::span<const double> b,
                         const RatioOptions& options) {
  Random random(options.seed);
  std::vector<double> ratios(options.resamples);
  for (double& ratio : ratios) {
    const double numerator = resampled_mean(a, random);
    ratio = numerator / resampled_mean(b, random);
  }
  std::sort(ratios.begin(), ratios.end());
  const double tail = (1 - options.confidence) / 2;
  Estimate result;
  result.point = moments(a).mean / moments(b).mean;
  result.standard_error = std::sqrt(moments(ratios).variance);
  result.low = quantile_of_sorted(ratios, tail);
  result.high = quantile_of_sorted(ratios, 1 - tail);
  return result;
}

}  // namespace kstar::stats
