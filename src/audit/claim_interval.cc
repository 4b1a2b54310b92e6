// Bartlett's test (1937) says whether K differ in their noise; if not at 10%, five runs at each of
// five K have 20 degrees of freedom instead of 4. Else Welch's.
#include "audit/claim_interval.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace kstar {

namespace {

/// The noise of one run at one K: a variance of log T and its degrees of freedom.
struct LogNoise {
  double variance = 0;
  double degrees = 0;
};

using NoisePlace = std::pair<Role, int>;  ///< a program and its K

/// Of every K with two runs or more.
std::map<NoisePlace, LogNoise> noise_of(const Evidence& evidence) {
  std::map<NoisePlace, std::vector<double>> logs;
  for (const Run& run : evidence.study.runs) {
    if (counts(run)) logs[{run.role, run.workers}].push_back(std::log(*steady_time(run)));
  }
  std::map<NoisePlace, LogNoise> noise;
  for (const auto& [place, values] : logs) {
    const auto n = static_cast<double>(values.size());
    if (n < 2) continue;
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    noise[place] = {squares / (n - 1), n - 1};
  }
  return noise;
}

/// The noise of all K, where Bartlett's test does not tell them apart.
std::optional<LogNoise> common_noise(const std::map<NoisePlace, LogNoise>& each) {
  constexpr double kDiffers = 0.10;
  LogNoise all;
  double groups = 0, logs = 0, inverse = 0;
  for (const auto& [place, noise] : each) {
    if (!(noise.variance > 0)) return {};
    ++groups;
    all.variance += noise.degrees * noise.variance;
    all.degrees += noise.degrees;
    logs += noise.degrees * std::log(noise.variance);
    inverse += 1 / noise.degrees;
  }
  if (groups < 2) return {};
  all.variance /= all.degrees;
  const double statistic = (all.degrees * std::log(all.variance) - logs) /
                           (1 + (inverse - 1 / all.degrees) / (3 * (groups - 1)));
  const boost::math::chi_squared same(groups - 1);
  if (statistic > quantile(complement(same, kDiffers))) return {};
  return all;
}

bool is_exchangeable(const Evidence& evidence, const Estimate& speedup) {
  const bool unpaired = speedup.method == IntervalMethod::kWelchLog ||
                        speedup.method == IntervalMethod::kWelchLogEffective;
  return unpaired && evidence.study.header.source.kind == SourceKind::kImported;
}

}  // namespace

Estimate speedup_for_claims(const Evidence& evidence, const ScalingPoint& at) {
  Estimate speedup = *at.speedup;
  if (!is_exchangeable(evidence, speedup) || !is_bounded(speedup)) return speedup;
  std::map<NoisePlace, LogNoise> noise = noise_of(evidence);
  LogNoise base = noise[{evidence.base->role, evidence.base->workers}];
  LogNoise here = noise[{at.role, at.workers}];
  if (base.degrees < 1 || here.degrees < 1) return speedup;
  const double n = base.degrees + 1, m = here.degrees + 1;
  double degrees = 0;
  if (const auto common = common_noise(noise)) {
    base.variance = here.variance = common->variance;
    degrees = common->degrees;
  } else {
    const double a = base.variance / n, b = here.variance / m;
    degrees = (a + b) * (a + b) / (a * a / base.degrees + b * b / here.degrees);
  }
  if (!(degrees > 0)) return speedup;
  const boost::math::students_t student(degrees);
  const double half = quantile(complement(student, (1 - speedup.confidence) / 2)) *
                      std::sqrt(base.variance / n + here.variance / m);
  speedup.low = speedup.point * std::exp(-half);
  speedup.high = speedup.point * std::exp(half);
  speedup.method = IntervalMethod::kWelchLog;
  return speedup;
}

}  // namespace kstar
