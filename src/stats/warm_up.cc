#include "kstar/warm_up.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.h"
#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/noise.h"

// A change-point test with one change, at the front. For every d up to the limit, the lower median
// M of the first d samples against the mean m of the rest:
//   t_d = (M - m) / (s_rest sqrt(f_d / d + f_{n-d} / (n - d))),
// f the factor for correlated samples, its correlation from the rest and shrunken towards what
// machines show. A median, because a slow run in the middle does not make all before it warm-up.
// The d of the smallest p-value is taken when that passes false_alarm over 1 + 2 ln(limit),
// about the number of tests that are not nearly the same. Then the rest is tested again: a decay is
// many small changes.
// Worsley, On the likelihood ratio test for a shift in location of normal populations, Journal of
// the American Statistical Association 74 (1979): the largest t as the test for one change.
namespace kstar {

namespace {

constexpr std::size_t kLeastRest = 3;
constexpr double kMedianVariance = 1.5707963;  // pi / 2, that of a mean being 1

double correlation_of(std::span<const double> samples) {
  stats::Correlation rho = stats::prior_correlation();
  const auto seen = autocorrelation(samples);
  if (!seen) return stats::plausible_correlation(rho.value);
  const auto own = stats::unbiased_correlation(*seen, static_cast<double>(samples.size()));
  const double sum = rho.weight * rho.value + own.weight * own.value;
  return std::max(0.0, stats::plausible_correlation(sum / (rho.weight + own.weight)));
}

/// Of an even number, the lower of the two in the middle: one slow sample among two is an outlier.
double low_median(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

struct Split {
  double excess = 0;
  double t = 0;
  double p = 1;  ///< one-sided
};

Split split_at(std::span<const double> samples, std::size_t length) {
  const auto rest = samples.subspan(length);
  const double first = low_median(samples.first(length));
  const stats::Moments later = stats::moments(rest);
  Split split{.excess = first / later.mean - 1};
  if (split.excess <= 0) return split;
  const double rho = correlation_of(rest);
  const auto count = static_cast<double>(length);
  const double of_median = length > 2 ? kMedianVariance : 1;
  const double factors = of_median * stats::autoregressive_factor(rho, count) / count +
                         stats::autoregressive_factor(rho, later.count()) / later.count();
  // Infinite where the rest does not scatter.
  split.t = (first - later.mean) / std::sqrt(later.variance * factors);
  split.p = stats::student_t_tail(split.t, later.count() - 1);
  return split;
}

/// A median carries one sample too many as soon as two are slow: the last ones that are within a
/// standard deviation of the rest are given back.
std::size_t without_steady_end(std::span<const double> samples, std::size_t length) {
  if (length == 0) return 0;
  const stats::Moments rest = stats::moments(samples.subspan(length));
  const double bound = rest.mean + std::sqrt(rest.variance);
  while (length > 1 && samples[length - 1] <= bound) --length;
  return length;
}

/// The best split of what is left, or length 0.
WarmUp best_split(std::span<const double> samples, std::size_t limit, double false_alarm) {
  WarmUp best;
  double p = false_alarm / (1 + 2 * std::log(static_cast<double>(limit)));
  for (std::size_t length = 1; length <= limit; ++length) {
    const Split split = split_at(samples, length);
    if (split.p >= p) continue;
    p = split.p;
    best = {.length = length, .excess = split.excess, .t = split.t};
  }
  best.length = without_steady_end(samples, best.length);
  return best;
}

}  // namespace

Result<WarmUp> find_warm_up(std::span<const double> samples, const WarmUpOptions& options) {
  KSTAR_CHECK(stats::check_positive("samples", samples));
  if (!(options.false_alarm > 0 && options.false_alarm < 1)) {
    return fail(expected("false alarm", "a number between 0 and 1", shortest(options.false_alarm)));
  }
  if (samples.size() <= kLeastRest) return WarmUp{};
  const std::size_t limit =
      std::min({options.limit, samples.size() / 2, samples.size() - kLeastRest});
  WarmUp found;
  while (found.length < limit) {
    const WarmUp more =
        best_split(samples.subspan(found.length), limit - found.length, options.false_alarm);
    if (more.length == 0) break;
    found.length += more.length;
    found.t = std::max(found.t, more.t);
  }
  if (found.length > 0) found.excess = split_at(samples, found.length).excess;
  return found;
}

}  // namespace kstar
