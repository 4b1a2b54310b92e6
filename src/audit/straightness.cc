// A curve too straight for its own noise. The cost K T(K) (T(K), where the work grows) is fitted by
//   p + s K + c K log2 K      (weak: p + s K + c log2 K)
// with weights from the noise of runs; the weighted sum of squares is chi-square distributed with
// n - p degrees of freedom. Noise is what remains of log T after the means of each K and of each
// block: what a block shares moves all K together, and does not scatter them.
// The curve is smoother than measurements can be where the lower tail is improbable: R. A. Fisher,
// Has Mendel's work been rediscovered?, Annals of Science 1, 1936.
#include "audit/straightness.h"

#include <Eigen/Dense>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <set>

namespace kstar {

namespace {

struct Sample {
  int workers = 1;
  std::optional<std::pair<std::string, int>> block;
  double log_time = 0;
};

std::vector<Sample> samples_of(const Evidence& evidence) {
  std::vector<Sample> samples;
  for (const ScalingPoint* point : evidence.curve) {
    for (const Run* run : runs_at(evidence.study, point->workers)) {
      const std::optional<double> time = steady_time(*run);
      if (!time || !(*time > 0)) continue;
      Sample sample{.workers = run->workers, .block = {}, .log_time = std::log(*time)};
      if (run->block) sample.block = {run->session, *run->block};
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

/// Takes the mean of each group off; how many groups there were.
template <typename Key>
std::size_t remove_means(std::vector<Sample>& samples, const Key& key) {
  std::map<decltype(key(samples[0])), std::pair<double, std::size_t>> sums;
  for (const Sample& sample : samples) {
    auto& [sum, n] = sums[key(sample)];
    sum += sample.log_time;
    ++n;
  }
  for (Sample& sample : samples) {
    const auto& [sum, n] = sums[key(sample)];
    sample.log_time -= sum / static_cast<double>(n);
  }
  return sums.size();
}

/// The standard deviation of one run; none with too few repeats.
std::optional<double> noise_of(std::vector<Sample> samples) {
  constexpr std::size_t kFewDegrees = 6;
  if (samples.empty()) return {};
  std::size_t used = 0;
  bool blocks = true;
  for (const Sample& sample : samples) blocks = blocks && sample.block;
  // Twice: in a design that is not complete one pass leaves some of the other's means.
  for (int pass = 0; pass < 2; ++pass) {
    used = remove_means(samples, [](const Sample& sample) { return sample.workers; });
    if (blocks)
      used += remove_means(samples, [](const Sample& sample) { return sample.block; }) - 1;
  }
  if (samples.size() < used + kFewDegrees) return {};
  double squares = 0;
  for (const Sample& sample : samples) squares += sample.log_time * sample.log_time;
  return std::sqrt(squares / static_cast<double>(samples.size() - used));
}

}  // namespace

std::optional<Straightness> straightness(const Evidence& evidence) {
  constexpr Eigen::Index kFewPoints = 4, kPointsForThree = 6;
  const auto n = static_cast<Eigen::Index>(evidence.curve.size());
  if (evidence.analysis == nullptr || n < kFewPoints) return {};
  const std::optional<double> noise = noise_of(samples_of(evidence));
  if (!noise || !(*noise > 0)) return {};
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  const Eigen::Index parameters = n < kPointsForThree ? 2 : 3;
  Eigen::MatrixXd rows(n, parameters);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  Eigen::VectorXd weights(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ScalingPoint& point = *evidence.curve[static_cast<std::size_t>(i)];
    const double k = point.workers;
    const double cost = weak ? point.time.point : k * point.time.point;
    // Relative errors: the row is divided by its own cost, and the right side is 1.
    rows(i, 0) = 1 / cost;
    rows(i, 1) = k / cost;
    if (parameters > 2) rows(i, 2) = (weak ? std::log2(k) : k * std::log2(k)) / cost;
    weights(i) = std::sqrt(static_cast<double>(point.times.n)) / *noise;
  }
  const Eigen::MatrixXd weighted = weights.asDiagonal() * rows;
  const Eigen::VectorXd right = weights.asDiagonal() * ones;
  const Eigen::VectorXd fit = weighted.colPivHouseholderQr().solve(right);
  const double squares = (weighted * fit - right).squaredNorm();
  if (!std::isfinite(squares)) return {};
  const auto degrees = static_cast<double>(n - parameters);
  return Straightness{.points = evidence.curve.size(),
                      .noise = *noise,
                      .scatter = std::sqrt(squares / degrees),
                      .chance = boost::math::cdf(boost::math::chi_squared(degrees), squares)};
}

}  // namespace kstar
