#include "support/coverage.h"

#include <cmath>
#include <vector>

#include "base/random.h"
#include "kstar/stats.h"

namespace kstar::coverage {

namespace {

constexpr double kVariation = 0.02;
constexpr double kOwnVariation = 0.005;
constexpr double kLogDeviation = 0.5;
constexpr double kCorrelation = 0.3;
constexpr double kStrongCorrelation = 0.5;
constexpr double kRatio = 10;
constexpr std::size_t kResamples = 500;

/// The two sides of a ratio; a mean uses the denominator alone.
struct Sides {
  std::vector<double> numerator;
  std::vector<double> denominator;
};

double next(double last, double correlation, Random& random) {
  return correlation * last + std::sqrt(1 - correlation * correlation) * random.normal();
}

std::vector<double> draw_correlated(std::size_t n, double correlation, Random& random) {
  std::vector<double> samples(n);
  double last = random.normal();
  for (double& sample : samples) {
    last = next(last, correlation, random);
    sample = 1 + kVariation * last;
  }
  return samples;
}

/// One series in time; a block takes the next two of it, either side first.
Sides draw_interleaved(std::size_t n, Random& random) {
  const std::vector<double> series = draw_correlated(2 * n, kStrongCorrelation, random);
  Sides sides;
  for (std::size_t i = 0; i < series.size(); i += 2) {
    const std::size_t first = random.below(2);
    sides.numerator.push_back(series[i + first]);
    sides.denominator.push_back(series[i + 1 - first]);
  }
  return sides;
}

/// Relative samples around 1.
std::vector<double> draw(Noise noise, std::size_t n, Random& random) {
  if (noise == Noise::kCorrelated) return draw_correlated(n, kCorrelation, random);
  if (noise == Noise::kStronglyCorrelated) return draw_correlated(n, kStrongCorrelation, random);
  std::vector<double> samples(n);
  for (double& sample : samples) {
    const double z = random.normal();
    if (noise == Noise::kLognormal) {
      sample = std::exp(kLogDeviation * z - kLogDeviation * kLogDeviation / 2);
    } else {
      sample = 1 + (noise == Noise::kBlocks ? kOwnVariation : kVariation) * z;
    }
  }
  return samples;
}

Sides draw_sides(Noise noise, std::size_t n, Random& random) {
  Sides sides = noise == Noise::kInterleaved
                    ? draw_interleaved(n, random)
                    : Sides{draw(noise, n, random), draw(noise, n, random)};
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = noise == Noise::kBlocks ? kVariation * random.normal() : 0;
    sides.numerator[i] = kRatio * (sides.numerator[i] + shared);
    sides.denominator[i] += shared;
  }
  return sides;
}

Result<Estimate> estimate(IntervalMethod method, const Sides& sides, Random& random) {
  switch (method) {
    case IntervalMethod::kOrderStatistic:
      return estimate_median(sides.denominator);
    case IntervalMethod::kWelchLog:
    case IntervalMethod::kWelchLogEffective:
    case IntervalMethod::kFieller:
    case IntervalMethod::kPaired:
    case IntervalMethod::kPairedEffective:
      return estimate_ratio(sides.numerator, sides.denominator, {.method = method});
    case IntervalMethod::kBootstrap:
      return estimate_ratio(sides.numerator, sides.denominator,
                            {.method = method, .resamples = kResamples, .seed = random.bits()});
    default:
      return estimate_mean(sides.denominator, {.method = method});
  }
}

double true_value(IntervalMethod method, Noise noise) {
  switch (method) {
    case IntervalMethod::kOrderStatistic:
      return noise == Noise::kLognormal ? std::exp(-kLogDeviation * kLogDeviation / 2) : 1;
    case IntervalMethod::kStudentT:
    case IntervalMethod::kNormal:
    case IntervalMethod::kEffectiveSample:
      return 1;
    default:
      return kRatio;
  }
}

}  // namespace

std::string_view to_string(Noise noise) {
  switch (noise) {
    case Noise::kNormal:
      return "normal noise, coefficient of variation 2%";
    case Noise::kLognormal:
      return "lognormal noise, coefficient of variation 53%, skewness 1.8";
    case Noise::kCorrelated:
      return "normal noise of 2%, lag-1 autocorrelation 0.3";
    case Noise::kStronglyCorrelated:
      return "normal noise of 2%, lag-1 autocorrelation 0.5";
    case Noise::kInterleaved:
      return "normal noise of 2%, 0.5 from each run to the next, blocks in random order";
    case Noise::kBlocks:
      return "normal noise of 2% shared by a block, and 0.5% of its own";
  }
  return "";
}

Coverage simulate(const Experiment& experiment) {
  Random random(experiment.seed);
  const double truth = true_value(experiment.method, experiment.noise);
  std::size_t held = 0;
  for (std::size_t i = 0; i < experiment.replications; ++i) {
    const Sides sides = draw_sides(experiment.noise, experiment.n, random);
    const Estimate found = estimate(experiment.method, sides, random).value();
    held += found.low <= truth && truth <= found.high ? 1 : 0;
  }
  const auto count = static_cast<double>(experiment.replications);
  const double share = static_cast<double>(held) / count;
  return {share, std::sqrt(share * (1 - share) / count)};
}

}  // namespace kstar::coverage
