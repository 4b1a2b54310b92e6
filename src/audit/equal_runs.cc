// Runs that are equal to the last digit. With a noise s of one run and a step d of the last digit,
// n runs are rounded to one value by chance with
//   sum over all cells of the step of (the chance of one run to fall into it)^n
// at most: the mean lies in the middle of its cell. That noise is known from K whose runs differ.
// It is taken to grow with T, and never to be more than it was there: a delay of the same length
// at every K is a smaller share of a longer time. What n runs say of a noise is uncertain itself:
// s^2 is spread as (n - 1) / chi-square, over which the chance is averaged.
#include "audit/equal_runs.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/number.h"

namespace kstar {

namespace {

/// The numbers of one K as they were written down: times, rates or ratios.
struct Written {
  int workers = 0;
  std::vector<double> values;
  double mean = 0;
  double variance = 0;  ///< of one run; 0: all are equal
};

Written written_at(const Study& study, int workers, bool inverse) {
  Written written{.workers = workers, .values = {}};
  for (const Run* run : runs_at(study, workers)) {
    const std::optional<double> time = steady_time(*run);
    if (time && *time > 0) written.values.push_back(inverse ? 1 / *time : *time);
  }
  if (written.values.empty()) return written;
  const auto n = static_cast<double>(written.values.size());
  written.mean = std::accumulate(written.values.begin(), written.values.end(), 0.0) / n;
  const auto [least, most] = std::minmax_element(written.values.begin(), written.values.end());
  if (*least == *most) return written;
  for (const double value : written.values) {
    written.variance += (value - written.mean) * (value - written.mean) / (n - 1);
  }
  return written;
}

/// The step in which numbers were written down.
class Steps {
 public:
  explicit Steps(const std::vector<Written>& all) {
    for (const Written& written : all) {
      for (const double value : written.values) digits_.see(value);
    }
    find_common(all);
  }

  double at(double value) const { return std::max(digits_.step(value), common_); }

 private:
  /// Of halves and quarters of a second all numbers are multiples.
  void find_common(const std::vector<Written>& all) {
    constexpr double kMostSteps = 1e15;
    double finest = INFINITY;
    for (const Written& written : all) {
      for (const double value : written.values) finest = std::min(finest, digits_.step(value));
    }
    long long common = 0;
    for (const Written& written : all) {
      for (const double value : written.values) {
        if (value / finest > kMostSteps) return;
        common = std::gcd(common, std::llround(value / finest));
      }
    }
    if (common > 0) common_ = static_cast<double>(common) * finest;
  }

  WrittenDigits digits_;
  double common_ = 0;
};

double below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// That n runs are rounded to one value; the noise is in steps.
double chance_alike(double noise, double n) {
  constexpr double kMany = 3;  // from here on the sum over cells is an integral
  if (!(noise > 0)) return 1;
  if (noise > kMany) {
    return std::pow(1 / (noise * std::sqrt(2 * std::numbers::pi)), n - 1) / std::sqrt(n);
  }
  const int reach = 1 + static_cast<int>(std::ceil(5 * noise));
  double sum = 0;
  for (int cell = -reach; cell <= reach; ++cell) {
    sum += std::pow(below((cell + 0.5) / noise) - below((cell - 0.5) / noise), n);
  }
  return std::min(sum, 1.0);
}

/// That all K of `equal` come out so, with the noise of the runs of one other K.
double chance_of(const std::vector<const Written*>& equal, const Written& noisy,
                 const Steps& steps) {
  constexpr int kParts = 2000;
  constexpr double kNothing = 1e-12;
  const double step = steps.at(noisy.mean);
  // Rounding itself scatters by d^2 / 12.
  const double noise = std::sqrt(std::max(noisy.variance - step * step / 12, 0.0));
  const auto degrees = static_cast<double>(noisy.values.size() - 1);
  const boost::math::chi_squared spread(degrees);
  double sum = 0;
  for (int part = 0; part < kParts; ++part) {
    const double scale = std::sqrt(degrees / quantile(spread, (part + 0.5) / kParts));
    double all = 1;
    for (const Written* written : equal) {
      if (all < kNothing) break;
      const double here = noise * scale * std::min(written->mean / noisy.mean, 1.0);
      all *=
          chance_alike(here / steps.at(written->mean), static_cast<double>(written->values.size()));
    }
    sum += all;
  }
  return sum / kParts;
}

}  // namespace

EqualRuns equal_runs(const Evidence& evidence) {
  constexpr std::size_t kMoreThanChance = 3;  // two runs may be equal to the digits of a clock
  constexpr double kPrecise = 1e-3;
  const bool inverse = find_note(evidence.study, "rate") != nullptr || is_relative(evidence.study);
  std::vector<Written> all;
  for (const ScalingPoint* point : evidence.curve) {
    all.push_back(written_at(evidence.study, point->workers, inverse));
  }
  const Steps steps(all);
  EqualRuns found;
  std::vector<const Written*> equal, noisy;
  for (const Written& written : all) {
    if (written.values.size() < 2) continue;
    ++found.repeated;
    (written.variance > 0 ? noisy : equal).push_back(&written);
    if (written.variance > 0) continue;
    found.equal.push_back(written.workers);
    if (written.values.size() < kMoreThanChance) continue;
    ++found.often;
    if (steps.at(written.mean) <= kPrecise * written.mean) ++found.precise;
  }
  found.some_differ = !noisy.empty();
  if (equal.empty() || noisy.empty()) return found;
  found.chance = 0;
  for (const Written* written : noisy) {
    found.chance = std::max(found.chance, chance_of(equal, *written, steps));
  }
  return found;
}

}  // namespace kstar
