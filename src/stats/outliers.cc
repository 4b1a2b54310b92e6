#include "kstar/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/number.h"
#include "base/try.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/moments.h"

// The Hampel identifier: z_i = (x_i - median) / (1.4826 MAD), an outlier where |z| exceeds a bound
// that depends on n. Davies and Gather, The identification of multiple outliers, Journal of the
// American Statistical Association 88 (1993). A fixed bound of 3.5 marks something in every
// fifth series of five normal samples.
namespace kstar {

namespace {

// The 95% quantile of max |z| over n normal samples, simulated (200,000 series up to n = 20). It
// is larger for odd n, where the median is one of the samples.
// clang-format off
constexpr std::array<std::pair<double, double>, 22> kThresholds = {{
    {4, 6.95}, {5, 7.99}, {6, 5.54}, {7, 5.85}, {8, 4.94}, {9, 5.06},
    {10, 4.58}, {11, 4.69}, {12, 4.39}, {13, 4.44}, {14, 4.24}, {15, 4.29},
    {16, 4.12}, {17, 4.16}, {18, 4.04}, {20, 3.98}, {25, 3.95}, {30, 3.86},
    {50, 3.75}, {100, 3.75}, {300, 3.88}, {1000, 4.10}}};
// clang-format on

struct Peers {
  double median = 0;
  double scale = 0;  ///< an estimate of the standard deviation; zero when all are equal
  std::size_t n = 0;

  double z(double value) const {
    if (value == median) return 0;
    if (scale > 0) return (value - median) / scale;
    return std::copysign(std::numeric_limits<double>::infinity(), value - median);
  }
};

// Where more than half are equal MAD is zero (most runs have no major fault), and the mean absolute
// deviation takes its place. Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993).
Peers peers_of(std::span<const double> values) {
  std::vector<double> known;
  std::copy_if(values.begin(), values.end(), std::back_inserter(known),
               [](double value) { return std::isfinite(value); });
  if (known.empty()) return {};
  Peers peers{.median = median_of(known), .n = known.size()};
  double sum = 0;
  for (double& value : known) {
    value = std::fabs(value - peers.median);
    sum += value;
  }
  constexpr double kFromMad = 1.482602;           // 1 / quantile(3/4)
  constexpr double kFromMeanAbsolute = 1.253314;  // sqrt(pi / 2)
  peers.scale = kFromMad * median_of(known);
  if (peers.scale == 0) peers.scale = kFromMeanAbsolute * sum / static_cast<double>(peers.n);
  return peers;
}

void explain(Outlier& outlier, std::span<const Covariate> covariates) {
  outlier.reason = kNoReason;
  for (const Covariate& covariate : covariates) {
    const double value = covariate.values[outlier.index];
    if (!std::isfinite(value)) continue;
    const Peers peers = peers_of(covariate.values);
    const double z = peers.z(value);
    if (covariate.slows && z * outlier.z <= 0) continue;
    if (std::fabs(value - peers.median) < covariate.least) continue;
    if (std::fabs(z) <= outlier_threshold(peers.n)) continue;
    if (std::fabs(z) <= std::fabs(outlier.covariate_z)) continue;
    outlier.covariate = covariate.name;
    outlier.covariate_z = z;
    outlier.reason = fmt::format("{} {:.4g}, usually {:.4g}", covariate.name, value, peers.median);
  }
}

}  // namespace

double outlier_threshold(std::size_t n) {
  const auto count = static_cast<double>(n);
  if (count < kThresholds.front().first) return std::numeric_limits<double>::infinity();
  const auto above = std::find_if(kThresholds.begin(), kThresholds.end(),
                                  [&](const auto& entry) { return entry.first >= count; });
  if (above == kThresholds.end()) return kThresholds.back().second;
  if (above->first == count) return above->second;
  const auto below = std::prev(above);
  const double share = std::log(count / below->first) / std::log(above->first / below->first);
  return below->second + share * (above->second - below->second);
}

Result<std::vector<Outlier>> find_outliers(std::span<const double> values,
                                           std::span<const Covariate> covariates) {
  KSTAR_CHECK(stats::check_samples("values", values));
  for (const Covariate& covariate : covariates) {
    if (covariate.values.size() == values.size()) continue;
    return fail(expected(covariate.name, std::to_string(values.size()) + " values, one per run",
                         std::to_string(covariate.values.size())));
  }
  const Peers peers = peers_of(values);
  const double threshold = outlier_threshold(values.size());
  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = peers.z(values[i]);
    if (std::fabs(z) <= threshold) continue;
    outliers.push_back({.index = i, .z = z});
    explain(outliers.back(), covariates);
  }
  return outliers;
}

}  // namespace kstar
