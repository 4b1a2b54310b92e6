#pragma once

#include <cstddef>
#include <vector>

#include "kstar/models.h"
#include "kstar/result.h"

namespace kstar::curves {

/// One point of a curve: the logarithm of its time.
struct Sample {
  double workers = 1;
  double log_time = 0;
  double variance = 0;  ///< of log_time, as far as repeats tell it
  int nodes = 0;        ///< 0: not known
};

/// One way in which the samples may be off.
struct ErrorCase {
  double scale = 1;  ///< of the samples' variances
  double added = 0;  ///< to each of them
  double log_weight = 0;

  double variance(const Sample& sample) const { return scale * sample.variance + added; }
};

struct CurveSamples {
  std::vector<Sample> points;  ///< by K
  std::vector<ErrorCase> cases;
  bool single = false;  ///< no repeats tell how far they are off
};

/// The curve's points by K. Few runs tell their own scatter badly: each K's is drawn towards that
/// of all K, and how badly all together tell it is a case for each size. Fails on a curve that is
/// none.
Result<CurveSamples> samples_of(const Curve& curve);

/// The same without the largest K.
CurveSamples without_last(const CurveSamples& samples);

}  // namespace kstar::curves
