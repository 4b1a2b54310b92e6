#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// Runs that stand out from their peers, and why. An outlier is marked and explained, never
/// dropped: T(K) is the mean of all runs, and rare slow runs are part of it.
namespace kstar {

/// Something recorded with every run: the load average, involuntary switches, major faults, CPU
/// time over wall time.
struct Covariate {
  std::string name;            ///< as it appears in the reason: "involuntary switches"
  std::vector<double> values;  ///< one per run; NaN where it is not known
  bool slows = false;  ///< more of it makes slow: less of it is then no reason for a slow run
  double least = 0;    ///< a difference from the others below this explains nothing
};

struct Outlier {
  std::size_t index = 0;  ///< of the run
  double z = 0;  ///< distance from the median in robust standard deviations; slow is positive

  /// "involuntary switches 812, usually 14" or kNoReason.
  std::string reason;

  std::string covariate;   ///< the name of the reason; empty where there is none
  double covariate_z = 0;  ///< how far that one stands out
};

inline constexpr const char* kNoReason = "no reason in the record";

/// The robust z beyond which a sample of n is an outlier: one of 20 series of n normal samples has
/// any. Infinite below 4 samples.
KSTAR_EXPORT double outlier_threshold(std::size_t n);

/// In ascending order of index. `values` are the times of the runs at one K; each covariate has as
/// many values, or it is an Error.
KSTAR_EXPORT Result<std::vector<Outlier>> find_outliers(std::span<const double> values,
                                                        std::span<const Covariate> covariates = {});

}  // namespace kstar
