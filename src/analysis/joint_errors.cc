// Two efficiencies err together: they share the base, and where runs came in blocks they share
// those. The errors of log E(K) are those of the table's own intervals; their correlation is that
// of the block's deviations
//   d_b(K) = T_b(base) / mean - T_b(K) / mean
// over the blocks that both K have, drawn towards what a common base alone makes of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/efficiency_curve.h"

namespace kstar {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// By block; NaN where a block has no run.
using Series = std::vector<double>;

std::size_t block_count(const EfficiencyCurve& curve) {
  std::size_t count = 0;
  for (const EfficiencyCurve::Point& point : curve.points) {
    for (const std::size_t block : point.samples->blocks) count = std::max(count, block + 1);
  }
  return count;
}

double mean_of(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

/// Times over their mean.
Series by_block(const Samples& samples, std::size_t count) {
  Series series(count, kUnknown);
  if (samples.blocks.empty() || !samples.once_a_block) return series;
  const double mean = mean_of(samples.times);
  for (std::size_t i = 0; i < samples.times.size(); ++i) {
    if (samples.blocks[i] < count) series[samples.blocks[i]] = samples.times[i] / mean;
  }
  return series;
}

std::vector<Series> deviations(const EfficiencyCurve& curve) {
  const std::size_t count = block_count(curve);
  const Series base = curve.base != nullptr ? by_block(*curve.base, count) : Series(count, 1.0);
  std::vector<Series> all;
  for (const EfficiencyCurve::Point& point : curve.points) {
    all.push_back(by_block(*point.samples, count));
    for (std::size_t i = 0; i < count; ++i) all.back()[i] = base[i] - all.back()[i];
  }
  return all;
}

struct Correlation {
  double value = 0;
  double n = 0;  ///< blocks
};

Correlation correlation_of(const Series& a, const Series& b) {
  double n = 0, sum_a = 0, sum_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] + b[i])) continue;
    ++n;
    sum_a += a[i];
    sum_b += b[i];
  }
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] + b[i])) continue;
    const double x = a[i] - sum_a / n, y = b[i] - sum_b / n;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  if (n < 3 || !(aa > 0) || !(bb > 0)) return {};
  return {.value = ab / std::sqrt(aa * bb), .n = n};
}

bool is_paired(const EfficiencyCurve::Point& point) {
  return point.efficiency.method == IntervalMethod::kPairedEffective;
}

/// What two ratios share by their base alone: its part of their variance. Of pairs, whose error is
/// less than that of their sides, it is a half: as where runs at all K scatter alike.
double by_common_base(const EfficiencyCurve& curve, const EfficiencyCurve::Point& a,
                      const EfficiencyCurve::Point& b) {
  constexpr double kMost = 0.95;
  if (curve.base == nullptr) return 0;
  if (is_paired(a) && is_paired(b)) return 0.5;
  const double error_a = a.efficiency.standard_error / a.efficiency.point;
  const double error_b = b.efficiency.standard_error / b.efficiency.point;
  if (!(error_a > 0 && error_b > 0)) return 0;
  return std::min(kMost, curve.base_error * curve.base_error / (error_a * error_b));
}

}  // namespace

std::optional<JointErrors> joint_errors(const EfficiencyCurve& curve) {
  constexpr double kPriorBlocks = 4;  // so much the prior counts: few blocks say little
  JointErrors joint;
  for (const auto& [workers, efficiency, samples] : curve.points) {
    if (!is_bounded(efficiency) || !(efficiency.point > 0)) return {};
    joint.errors.push_back(
        {.error = efficiency.standard_error / efficiency.point, .degrees = efficiency.degrees});
  }
  const std::vector<Series> series = deviations(curve);
  const std::size_t count = curve.points.size();
  joint.correlations.assign(count * count, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Correlation seen = correlation_of(series[i], series[j]);
      const double prior = by_common_base(curve, curve.points[i], curve.points[j]);
      const double both = (seen.n * seen.value + kPriorBlocks * prior) / (seen.n + kPriorBlocks);
      joint.correlations[i * count + j] = joint.correlations[j * count + i] = both;
    }
  }
  return joint;
}

}  // namespace kstar
