#include <algorithm>
#include <cmath>
#include <vector>

#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/moments.h"

namespace kstar {

namespace {

double confidence_without(std::size_t dropped, std::size_t n) {
  return 1 - 2 * stats::fair_coin_cdf(dropped, n);
}

/// How many samples may lie outside on each side; 0 also when even that has not the confidence.
std::size_t samples_to_drop(double confidence, std::size_t n) {
  std::size_t low = 0, high = n / 2;  // at low it holds, at high it does not
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (confidence_without(middle, n) >= confidence ? low : high) = middle;
  }
  return low;
}

}  // namespace

// Whatever the distribution, each sample lies below the median with probability 1/2, so
//   P(x_(1+d) <= median <= x_(n-d)) = 1 - 2 P(X <= d),  X of n throws of a fair coin.
// Thompson, On confidence ranges for the median, Annals of Mathematical Statistics 7 (1936).
Result<Estimate> estimate_median(std::span<const double> samples, double confidence, Scope scope) {
  KSTAR_CHECK(stats::check_samples("samples", samples));
  KSTAR_CHECK(stats::check_confidence(confidence));
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const double median = stats::median_of_sorted(sorted);
  if (n == 1) return stats::no_interval(median, n, confidence, scope);

  const std::size_t dropped = samples_to_drop(confidence, n);
  const double actual = confidence_without(dropped, n);
  const double width = sorted[n - 1 - dropped] - sorted[dropped];
  // McKean and Schrader, A comparison of methods for studentizing the sample median,
  // Communications in Statistics 13 (1984): the width, read as that of a normal interval.
  return Estimate{.point = median,
                  .standard_error = width / (2 * stats::normal_critical(actual)),
                  .low = sorted[dropped],
                  .high = sorted[n - 1 - dropped],
                  .confidence = actual,
                  .n = n,
                  .method = IntervalMethod::kOrderStatistic,
                  .scope = scope};
}

Result<Summary> summarize(std::span<const double> samples) {
  KSTAR_CHECK(stats::check_samples("samples", samples));
  const stats::Moments moments = stats::moments(samples);
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return Summary{.n = moments.n,
                 .mean = moments.mean,
                 .standard_deviation = std::sqrt(moments.variance),
                 .median = stats::median_of_sorted(sorted),
                 .min = sorted.front(),
                 .max = sorted.back()};
}

}  // namespace kstar
