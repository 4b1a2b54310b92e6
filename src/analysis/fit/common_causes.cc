// The correlations of joint_errors.cc as common causes. With centred deviations d_b(K) in n blocks,
// variance v(K) and the shared covariance s, error K is
//   sqrt(n / (n + p)) sum_b d_b(K) / sqrt((n - 1) v(K)) u_b + sqrt(p / (n + p) s / v(K)) u_0 + own
// with independent standard normals u: two K that have the same blocks are correlated by
// (n r + p s / sqrt(v v')) / (n + p), r being what was seen and p the weight of the prior.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/fit/efficiency_curve.h"

namespace kstar {

namespace {

struct BlockDeviation {
  std::size_t block = 0;
  double value = 0;
};
using BlockDeviations = std::vector<BlockDeviation>;

double mean_time(const Samples& samples) {
  double sum = 0;
  for (const double time : samples.times) sum += time;
  return sum / static_cast<double>(samples.times.size());
}

/// Times over their mean, by block; none where a block has several.
std::map<std::size_t, double> relative_times(const Samples& samples) {
  std::map<std::size_t, double> relative;
  if (!samples.once_a_block) return relative;
  const double mean = mean_time(samples);
  for (std::size_t i = 0; i < samples.blocks.size(); ++i) {
    relative[samples.blocks[i]] = samples.times[i] / mean;
  }
  return relative;
}

/// Over the blocks that K and the base have, around their mean.
BlockDeviations centred_deviations(const std::map<std::size_t, double>* base, const Samples& at) {
  BlockDeviations found;
  double sum = 0;
  for (const auto& [block, time] : relative_times(at)) {
    const auto in_base =
        base != nullptr ? base->find(block) : std::map<std::size_t, double>::const_iterator();
    if (base != nullptr && in_base == base->end()) continue;
    found.push_back({block, (base != nullptr ? in_base->second : 1.0) - time});
    sum += found.back().value;
  }
  for (BlockDeviation& each : found) each.value -= sum / static_cast<double>(found.size());
  return found;
}

double variance_over_blocks(const BlockDeviations& deviations) {
  double square = 0;
  for (const BlockDeviation& each : deviations) square += each.value * each.value;
  return square / (static_cast<double>(deviations.size()) - 1);
}

bool is_known(const BlockDeviations& deviations) {
  return deviations.size() >= 3 && variance_over_blocks(deviations) > 0;
}

/// The mean covariance of all pairs, by the blocks that they share: in each block the sum of all
/// products is what the square of the sum has beyond the squares.
double shared_covariance(const std::vector<BlockDeviations>& all) {
  struct Sums {
    double sum = 0, squares = 0, count = 0;
  };
  std::map<std::size_t, Sums> blocks;
  double runs = 0, known = 0;
  for (const BlockDeviations& deviations : all) {
    if (!is_known(deviations)) continue;
    ++known;
    runs += static_cast<double>(deviations.size());
    for (const auto& [block, value] : deviations) {
      Sums& at = blocks[block];
      at.sum += value;
      at.squares += value * value;
      ++at.count;
    }
  }
  double products = 0, pairs = 0;
  for (const auto& [block, at] : blocks) {
    products += (at.sum * at.sum - at.squares) / 2;
    pairs += at.count * (at.count - 1) / 2;
  }
  const double each = runs / std::max(known, 1.0);
  return pairs > 0 ? products / pairs * each / (each - 1) : 0;
}

}  // namespace

CommonCauses common_causes(const EfficiencyCurve& curve, const std::vector<DrawnError>& errors) {
  constexpr double kPriorBlocks = 4, kMost = 0.98;  // as in joint_errors.cc
  std::map<std::size_t, double> base;
  if (curve.base != nullptr) base = relative_times(*curve.base);
  std::vector<BlockDeviations> all;
  CommonCauses common;
  for (const EfficiencyCurve::Point& point : curve.points) {
    all.push_back(centred_deviations(curve.base != nullptr ? &base : nullptr, *point.samples));
    for (const BlockDeviation& each : all.back()) {
      common.causes = std::max(common.causes, each.block + 1);
    }
  }
  const std::size_t of_base = common.causes++;
  const double shared = shared_covariance(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Loading>& row = common.loadings.emplace_back();
    if (!(errors[i].error > 0)) continue;  // the base itself does not scatter
    if (!is_known(all[i])) {
      const double part = curve.base == nullptr ? 0 : curve.base_error / errors[i].error;
      row.push_back({of_base, std::sqrt(std::clamp(part * part, 0.0, kMost))});
      continue;
    }
    const auto n = static_cast<double>(all[i].size());
    const double variance = variance_over_blocks(all[i]), seen = n / (n + kPriorBlocks);
    for (const auto& [block, value] : all[i]) {
      row.push_back({block, std::sqrt(seen / ((n - 1) * variance)) * value});
    }
    row.push_back({of_base, std::sqrt((1 - seen) * std::clamp(shared / variance, 0.0, kMost))});
  }
  return common;
}

}  // namespace kstar
