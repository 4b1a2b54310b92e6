#include "audit/claim_chance.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace kstar {

namespace {

/// Rates as times of work that grows with K: the work of one T is that of K workers.
Study as_weak(Study study) {
  study.header.regime = Regime::kWeak;
  study.header.time = TimeKind::kRun;
  study.header.workload.clear();
  for (Run& run : study.runs) {
    if (run.wall) *run.wall *= run.workers;
  }
  return study;
}

}  // namespace

std::optional<SpeedupChances> SpeedupChances::at(const Study& study, const AnalysisOptions& options,
                                                 double workers, WorkWay way) {
  const bool rates = study.header.time == TimeKind::kRate;
  SpeedupChances chances;
  if (!rates || way != WorkWay::kGrows) {
    chances.curves_.push_back(quantiles_of(study, options, workers));
  }
  if (rates && way != WorkWay::kSame) {
    chances.curves_.push_back(quantiles_of(as_weak(study), options, workers));
  }
  for (const Quantiles& curve : chances.curves_) {
    if (curve.size() < 2) return {};
  }
  return chances;
}

SpeedupChances::Quantiles SpeedupChances::quantiles_of(const Study& study,
                                                       const AnalysisOptions& options,
                                                       double workers) {
  Quantiles quantiles;
  for (const double confidence : {0.30, 0.60, 0.80, 0.95}) {
    AnalysisOptions wanted = options;
    wanted.confidence = confidence;
    wanted.predict = {workers};
    wanted.resamples = 100;
    const Result<Analysis> analysis = analyze(study, wanted);
    if (!analysis || !analysis->models || analysis->models->predictions.empty()) return {};
    const Estimate& speedup = analysis->models->predictions[0].speedup;
    const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
    if (speedup.low > 0) quantiles.push_back({std::log(speedup.low), -z});
    if (speedup.high > 0 && std::isfinite(speedup.high)) {
      quantiles.push_back({std::log(speedup.high), z});
    }
  }
  std::sort(quantiles.begin(), quantiles.end(),
            [](const Quantile& a, const Quantile& b) { return a.z < b.z; });
  return quantiles;
}

/// On straight lines between the quantiles, and beyond them.
double SpeedupChances::z_at(const Quantiles& quantiles, double log_speedup) {
  std::size_t i = 1;
  while (i + 1 < quantiles.size() && quantiles[i].log_speedup < log_speedup) ++i;
  const Quantile &a = quantiles[i - 1], &b = quantiles[i];
  const double width = b.log_speedup - a.log_speedup;
  if (!(width > 0)) return log_speedup < a.log_speedup ? a.z : b.z;
  return a.z + (b.z - a.z) * (log_speedup - a.log_speedup) / width;
}

double SpeedupChances::of(double speedup) const {
  constexpr double kLeast = 0.01;
  double above = 0;
  for (const Quantiles& curve : curves_) {
    const double z = z_at(curve, std::log(speedup));
    above += boost::math::cdf(boost::math::normal(), -z) / static_cast<double>(curves_.size());
  }
  return std::clamp(above, kLeast, 1 - kLeast);
}

}  // namespace kstar
