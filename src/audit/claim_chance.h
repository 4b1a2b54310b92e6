#pragma once

#include <optional>
#include <vector>

#include "audit/work.h"
#include "kstar/analysis.h"

namespace kstar {

/// S at one K, by the posterior of the fitted curve: its quantiles, from the ends of its intervals
/// at several confidences. Rates say work per second, whatever the work: where it grows with K they
/// are fitted as weak scaling, and where nobody knows both count alike.
class SpeedupChances {
 public:
  /// None where there is no curve.
  static std::optional<SpeedupChances> at(const Study& study, const AnalysisOptions& options,
                                          double workers, WorkWay way);

  /// How likely S is `speedup` or more. Never below 1% or above 99%: nobody is that sure of a model
  /// where it was not tested.
  double of(double speedup) const;

 private:
  /// log S, and the normal quantile of the share of the posterior below it.
  struct Quantile {
    double log_speedup = 0;
    double z = 0;
  };

  using Quantiles = std::vector<Quantile>;  ///< by z

  static Quantiles quantiles_of(const Study& study, const AnalysisOptions& options, double workers);
  static double z_at(const Quantiles& quantiles, double log_speedup);

  std::vector<Quantiles> curves_;  ///< of each way to read the data
};

}  // namespace kstar
