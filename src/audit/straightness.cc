// A curve too straight for its own noise. The cost K T(K) (T(K), where the work grows) is fitted by
//   p + s K + c K log2 K      (weak: p + s K + c log2 K)
// and every K weighs by the noise of its own runs: one noisy K must not make the others look too
// smooth. The weighted sum of squares is then, near 0, at most as likely as a chi-square with n - p
// degrees of freedom: the noise of each K is estimated, which makes errors t-distributed, and t has
// less of its mass near 0 than the normal distribution.
// The curve is smoother than measurements can be where the lower tail is improbable: R. A. Fisher,
// Has Mendel's work been rediscovered?, Annals of Science 1, 1936.
#include "audit/straightness.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>

namespace kstar {

namespace {

/// One run: how far its log T is from the mean of its K.
struct Deviation {
  std::size_t block = 0;
  double value = 0;
};

/// The runs of one K.
struct Series {
  const ScalingPoint* point = nullptr;
  std::vector<Deviation> runs;
  double variance = 0;  ///< of one run
};

void remove_mean(std::vector<Deviation>& runs) {
  double sum = 0;
  for (const Deviation& run : runs) sum += run.value;
  for (Deviation& run : runs) run.value -= sum / static_cast<double>(runs.size());
}

double variance_of(const std::vector<Deviation>& runs) {
  double squares = 0;
  for (const Deviation& run : runs) squares += run.value * run.value;
  return squares / static_cast<double>(runs.size() - 1);
}

/// The K with repeats that differ: of others the noise is not known. `blocks` is how many there
/// are, 0 where some run has none.
std::vector<Series> series_of(const Evidence& evidence, std::size_t& blocks) {
  std::map<std::pair<std::string, int>, std::size_t> numbers;
  bool known = true;
  std::vector<Series> all;
  for (const ScalingPoint* point : evidence.curve) {
    Series series{.point = point, .runs = {}};
    for (const Run* run : runs_at(evidence.study, point->workers)) {
      const std::optional<double> time = steady_time(*run);
      if (!time || !(*time > 0)) continue;
      known = known && run->block;
      const std::pair<std::string, int> block{run->session, run->block.value_or(0)};
      const std::size_t number = numbers.try_emplace(block, numbers.size()).first->second;
      series.runs.push_back({number, std::log(*time)});
    }
    if (series.runs.size() < 2) continue;
    remove_mean(series.runs);
    series.variance = variance_of(series.runs);
    if (series.variance > 0) all.push_back(std::move(series));
  }
  blocks = known ? numbers.size() : 0;
  return all;
}

/// What the runs of each block have in common: their median.
std::vector<double> middles(const std::vector<Series>& all, std::size_t blocks) {
  std::vector<std::vector<double>> of(blocks);
  for (const Series& series : all) {
    for (const Deviation& run : series.runs) of[run.block].push_back(run.value);
  }
  std::vector<double> middle(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    auto& values = of[i];
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    middle[i] = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  }
  return middle;
}

/// How much each K says about a block: the less noisy, the more, and never more than half.
std::vector<std::vector<double>> shares(const std::vector<Series>& all, std::size_t blocks) {
  constexpr double kMost = 0.5;
  std::vector<std::vector<double>> share;
  std::vector<double> sums(blocks), kept(blocks);
  for (const Series& series : all) {
    for (const Deviation& run : series.runs) sums[run.block] += 1 / series.variance;
  }
  for (const Series& series : all) {
    auto& own = share.emplace_back();
    for (const Deviation& run : series.runs) {
      own.push_back(std::min(1 / series.variance / sums[run.block], kMost));
      kept[run.block] += own.back();
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < share[i].size(); ++j) share[i][j] /= kept[all[i].runs[j].block];
  }
  return share;
}

/// What a block shares moves all K together, and does not scatter them: it is no noise. It is first
/// taken for the median of the block, as a noisy K moves every mean, and then for a weighted mean.
/// Noise never grows by that: what is left over of a block is not to hide behind it.
void remove_blocks(std::vector<Series>& all, std::size_t blocks) {
  const std::vector<double> middle = middles(all, blocks);
  std::vector<double> raw;
  for (Series& series : all) {
    raw.push_back(series.variance);
    std::vector<Deviation> rest = series.runs;
    for (Deviation& run : rest) run.value -= middle[run.block];
    remove_mean(rest);
    const double variance = variance_of(rest);
    if (variance > 1e-6 * raw.back()) series.variance = std::min(raw.back(), variance);
  }
  constexpr int kPasses = 2;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto share = shares(all, blocks);
    std::vector<double> common(blocks);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < share[i].size(); ++j) {
        common[all[i].runs[j].block] += share[i][j] * all[i].runs[j].value;
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<Deviation> rest;
      double free = 0;  // what a run's own share in its block leaves of it
      for (std::size_t j = 0; j < share[i].size(); ++j) {
        const Deviation& run = all[i].runs[j];
        rest.push_back({run.block, run.value - common[run.block]});
        free += (1 - share[i][j]) / static_cast<double>(share[i].size());
      }
      remove_mean(rest);
      const double variance = free > 0 ? variance_of(rest) / free : 0;
      if (variance > 0) all[i].variance = std::min(raw[i], variance);
    }
  }
}

}  // namespace

std::optional<Straightness> straightness(const Evidence& evidence) {
  constexpr std::size_t kFewPoints = 4, kPointsForThree = 6, kFewDegrees = 6;
  if (evidence.analysis == nullptr) return {};
  std::size_t blocks = 0, degrees_of_noise = 0;
  std::vector<Series> all = series_of(evidence, blocks);
  for (const Series& series : all) degrees_of_noise += series.runs.size() - 1;
  if (all.size() < kFewPoints || degrees_of_noise < kFewDegrees) return {};
  if (blocks > 0) remove_blocks(all, blocks);
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  const auto n = static_cast<Eigen::Index>(all.size());
  const Eigen::Index parameters = all.size() < kPointsForThree ? 2 : 3;
  Eigen::MatrixXd rows(n, parameters);
  Eigen::VectorXd right(n);
  Straightness found{.points = all.size(),
                     .least_noise = std::sqrt(all.front().variance),
                     .most_noise = 0,
                     .scatter = 0};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Series& series = all[static_cast<std::size_t>(i)];
    const double k = series.point->workers, noise = std::sqrt(series.variance);
    const double cost = weak ? series.point->time.point : k * series.point->time.point;
    const double weight = std::sqrt(static_cast<double>(series.runs.size())) / noise;
    // Relative errors: the row is divided by its own cost, and the right side is 1.
    rows(i, 0) = weight / cost;
    rows(i, 1) = weight * k / cost;
    if (parameters > 2) rows(i, 2) = weight * (weak ? std::log2(k) : k * std::log2(k)) / cost;
    right(i) = weight;
    found.least_noise = std::min(found.least_noise, noise);
    found.most_noise = std::max(found.most_noise, noise);
  }
  const Eigen::VectorXd fit = rows.colPivHouseholderQr().solve(right);
  const double squares = (rows * fit - right).squaredNorm();
  if (!std::isfinite(squares)) return {};
  const auto degrees = static_cast<double>(n - parameters);
  found.scatter = std::sqrt(squares / degrees);
  found.chance = boost::math::cdf(boost::math::chi_squared(degrees), squares);
  return found;
}

}  // namespace kstar
