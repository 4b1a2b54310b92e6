#include "audit/claim_chance.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

namespace kstar {

namespace {

constexpr double kLeastChance = 0.01;

/// log S, and the normal quantile of the share of the posterior below it.
struct Quantile {
  double log_speedup = 0;
  double z = 0;
};

void add_ends(const Estimate& speedup, double confidence, std::vector<Quantile>& quantiles) {
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  if (speedup.low > 0) quantiles.push_back({std::log(speedup.low), -z});
  if (std::isfinite(speedup.high)) quantiles.push_back({std::log(speedup.high), z});
}

/// z at log S, on straight lines between the quantiles and beyond them.
double z_at(const std::vector<Quantile>& quantiles, double log_speedup) {
  std::size_t i = 1;
  while (i + 1 < quantiles.size() && quantiles[i].log_speedup < log_speedup) ++i;
  const Quantile &a = quantiles[i - 1], &b = quantiles[i];
  const double width = b.log_speedup - a.log_speedup;
  if (!(width > 0)) return log_speedup < a.log_speedup ? a.z : b.z;
  return a.z + (b.z - a.z) * (log_speedup - a.log_speedup) / width;
}

}  // namespace

std::optional<double> chance_of_speedup(const Study& study, const AnalysisOptions& options,
                                        double workers, double speedup) {
  std::vector<Quantile> quantiles;
  for (const double confidence : {0.30, 0.60, 0.80, 0.95}) {
    AnalysisOptions wanted = options;
    wanted.confidence = confidence;
    wanted.predict = {workers};
    wanted.resamples = 100;
    const Result<Analysis> analysis = analyze(study, wanted);
    if (!analysis || !analysis->models || analysis->models->predictions.empty()) return {};
    add_ends(analysis->models->predictions[0].speedup, confidence, quantiles);
  }
  std::sort(quantiles.begin(), quantiles.end(),
            [](const Quantile& a, const Quantile& b) { return a.z < b.z; });
  if (quantiles.size() < 2 || !std::isfinite(quantiles[0].log_speedup)) return {};
  const double z = z_at(quantiles, std::log(speedup));
  const double below = boost::math::cdf(boost::math::normal(), z);
  return std::clamp(1 - below, kLeastChance, 1 - kLeastChance);
}

}  // namespace kstar
