// With z_bK = log T_bK - its mean over the blocks b, the mean of z_b. over the K is what block b
// shares; what is left of the variance of z_.K without it is the K's own. Two-way analysis of
// variance without interaction, over the blocks that all K have.
#include "analysis/fit/measured_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace kstar {

namespace {

constexpr std::size_t kFewestBlocks = 3;

/// log T by block, for every K; the blocks that all K have.
using Blocks = std::map<std::size_t, std::vector<double>>;

std::optional<Blocks> common_blocks(const std::vector<const Samples*>& all) {
  Blocks blocks;
  for (const Samples* samples : all) {
    if (samples->blocks.empty() || !samples->once_a_block) return std::nullopt;
    for (std::size_t i = 0; i < samples->times.size(); ++i) {
      blocks[samples->blocks[i]].push_back(std::log(samples->times[i]));
    }
  }
  std::erase_if(blocks, [&](const auto& block) { return block.second.size() != all.size(); });
  return blocks.size() >= kFewestBlocks ? std::optional(blocks) : std::nullopt;
}

double variance_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (static_cast<double>(values.size()) - 1);
}

/// Of the variance of each K's runs, the share that blocks do not explain.
std::vector<double> own_shares(const Blocks& blocks, std::size_t count) {
  std::vector<std::vector<double>> all(count), own(count);
  for (const auto& [block, logs] : blocks) {
    double mean = 0;
    for (const double value : logs) mean += value / static_cast<double>(count);
    for (std::size_t k = 0; k < count; ++k) {
      all[k].push_back(logs[k]);
      own[k].push_back(logs[k] - mean);
    }
  }
  const double lost = static_cast<double>(count) / (static_cast<double>(count) - 1);
  std::vector<double> shares;
  for (std::size_t k = 0; k < count; ++k) {
    const double total = variance_of(all[k]);
    shares.push_back(total > 0 ? std::min(1.0, lost * variance_of(own[k]) / total) : 1);
  }
  return shares;
}

void set_common_error(const std::vector<const Samples*>& all, Curve& curve) {
  constexpr std::size_t kFewest = 3;  // K: with two, half of every difference is "common"
  if (all.size() < kFewest) return;
  const std::optional<Blocks> blocks = common_blocks(all);
  if (!blocks) return;
  const std::vector<double> shares = own_shares(*blocks, all.size());
  double common = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double error = curve.points[k].relative_error;
    common += error * error * (1 - shares[k]) / static_cast<double>(all.size());
    curve.points[k].relative_error = error * std::sqrt(shares[k]);
  }
  curve.common_error = std::sqrt(common);
}

}  // namespace

Curve measured_curve(const ScalingTable& table, const SampleGroups& groups) {
  constexpr std::size_t kFewestMore = 3;  // runs beyond the first: fewer tell no noise
  Curve curve{.regime = *table.regime, .points = {}};
  std::vector<const Samples*> all;
  std::size_t more = 0;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline) continue;
    curve.points.push_back({.workers = static_cast<double>(point.workers),
                            .time = point.time.point,
                            .relative_error = point.time.standard_error / point.time.point,
                            .runs = point.times.n,
                            .nodes = point.shape ? point.shape->nodes : 0,
                            .work = curve.regime == Regime::kWeak ? point.work : 0});
    more += point.times.n - 1;
    all.push_back(&groups.at({true, point.workers}));
  }
  const bool unknown = more < kFewestMore || curve.regime == Regime::kMixed;
  curve.origin = unknown ? CurveOrigin::kPublished : CurveOrigin::kMeasured;
  if (!unknown) set_common_error(all, curve);
  return curve;
}

}  // namespace kstar
