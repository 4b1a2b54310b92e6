#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"

/// Sources of noise whose truth is known exactly, simulated or resampled from what was recorded.
namespace kstar::noise {

/// A stationary series of times around 1.
class Process {
 public:
  virtual ~Process() = default;

  /// The next sample; `state` is the caller's, one per series, negative infinity at its start.
  virtual double next(Random& random, double& state) const = 0;

  virtual double mean() const { return 1; }

  /// The exact variance of the mean of n neighbouring samples, relative to mean()^2.
  virtual double variance_of_mean(std::size_t n) const = 0;
};

using ProcessPointer = std::shared_ptr<const Process>;

/// Normal with a coefficient of variation and a lag-1 autocorrelation. With probability `rare`
/// a sample is slower by another 10 to 50%, evenly.
ProcessPointer normal(double variation, double correlation = 0, double rare = 0);

/// exp of a normal series with that lag-1 autocorrelation.
ProcessPointer lognormal(double variation, double correlation = 0);

/// Blocks of what was recorded, of random length around `block`, joined to a circle: the
/// stationary bootstrap (Politis and Romano, JASA 89, 1994). Its mean is that of the record, and
/// its autocovariance at lag k is the record's times (1 - 1/block)^k.
ProcessPointer resampled(const std::vector<double>& record, double block);

/// A file of tests/data/noise, one process a K.
std::vector<ProcessPointer> recorded(const std::string& name, double block);

}  // namespace kstar::noise
