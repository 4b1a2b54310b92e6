#include <algorithm>
#include <cmath>
#include <vector>

#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/median.h"
#include "stats/moments.h"

namespace kstar {

Result<Summary> summarize(std::span<const double> samples) {
  if (auto checked = stats::check_samples("samples", samples); !checked) {
    return fail(checked.error());
  }
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
