// Two efficiencies err together: they share the base, and where runs came in blocks they share
// those. The errors of log E(K) are those of the table's own intervals; their correlation is that
// of the block's deviations
//   d_b(K) = T_b(base) / mean - T_b(K) / mean
// over the blocks that both K have, drawn towards what the base alone makes of it: the same part in
// the variance of every d(K), and so the mean of all covariances.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/fit/efficiency_curve.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

/// Of more K the correlation of each pair is not looked at: common causes stand for them.
constexpr std::size_t kMostPaired = 64;

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

/// Two series over the blocks that both have.
struct Together {
  double n = 0;
  double variance_a = 0;
  double variance_b = 0;
  double covariance = 0;

  bool known() const { return n >= 3 && variance_a > 0 && variance_b > 0; }
  /// A covariance as a correlation of these two.
  double scaled(double value) const { return value / std::sqrt(variance_a * variance_b); }
};

Together together(const Series& a, const Series& b) {
  double n = 0, sum_a = 0, sum_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] + b[i])) continue;
    ++n;
    sum_a += a[i];
    sum_b += b[i];
  }
  Together found{.n = n};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] + b[i])) continue;
    const double x = a[i] - sum_a / n, y = b[i] - sum_b / n;
    found.variance_a += x * x / (n - 1);
    found.variance_b += y * y / (n - 1);
    found.covariance += x * y / (n - 1);
  }
  return found;
}

/// Of pairs of K, the later one first: (1, 0), (2, 0), (2, 1) ...
std::vector<Together> all_together(const std::vector<Series>& series) {
  std::vector<Together> pairs;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs.push_back(together(series[i], series[j]));
  }
  return pairs;
}

/// What the base's own scatter gives to every pair of K, in the mean over them: a few blocks tell
/// it better for all pairs than for one.
double shared_variance(const std::vector<Together>& pairs) {
  double sum = 0, count = 0;
  for (const Together& pair : pairs) {
    if (!pair.known()) continue;
    sum += pair.covariance;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// Without common blocks: the part of the base in the variance of both.
double by_common_base(const EfficiencyCurve& curve, const DrawnError& a, const DrawnError& b) {
  return curve.base == nullptr ? 0 : curve.base_error * curve.base_error / (a.error * b.error);
}

double correlation(const Together& pair, double shared, double without_blocks) {
  constexpr double kPriorBlocks = 4, kMost = 0.98;  // as in common_causes.cc
  if (!pair.known()) return std::clamp(without_blocks, 0.0, kMost);
  const double prior = std::clamp(pair.scaled(shared), 0.0, kMost);
  const double seen = pair.scaled(pair.covariance);
  return (pair.n * seen + kPriorBlocks * prior) / (pair.n + kPriorBlocks);
}

}  // namespace

std::optional<JointErrors> joint_errors(const EfficiencyCurve& curve) {
  JointErrors joint;
  for (const auto& [workers, efficiency, samples] : curve.points) {
    if (!is_bounded(efficiency) || !(efficiency.point > 0)) return {};
    joint.errors.push_back(
        {.error = efficiency.standard_error / efficiency.point, .degrees = efficiency.degrees});
  }
  if (curve.points.size() > kMostPaired) return joint;
  const std::vector<Together> pairs = all_together(deviations(curve));
  const double shared = shared_variance(pairs);
  const std::size_t count = curve.points.size();
  joint.correlations.assign(count * count, 1.0);
  auto pair = pairs.begin();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pair) {
      const DrawnError &a = joint.errors[i], &b = joint.errors[j];
      const bool scatter = a.error > 0 && b.error > 0;  // the base itself does not
      joint.correlations[i * count + j] = joint.correlations[j * count + i] =
          scatter ? correlation(*pair, shared, by_common_base(curve, a, b)) : 0;
    }
  }
  return joint;
}

}  // namespace kstar
