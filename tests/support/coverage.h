#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kstar/estimate.h"

/// How often an interval really holds the true value, by simulation: the same seed, the same
/// answer.
namespace kstar::coverage {

enum class Noise {
  kNormal,              ///< independent, coefficient of variation 2%
  kLognormal,           ///< independent and skewed, coefficient of variation 53%, skewness 1.8
  kCorrelated,          ///< 2%, each sample with 0.3 of the deviation of the one before: lag-1 0.3
  kStronglyCorrelated,  ///< the same with 0.5
  kInterleaved,         ///< lag-1 0.5 from run to run, whichever side it is; blocks in random order
  kBlocks               ///< 2% that both sides of a block share, and 0.5% of each one's own
};

std::string_view to_string(Noise noise);

/// What is simulated. Methods of a mean see samples around 1, methods of a ratio also some
/// around 10, all at a confidence of 0.95.
struct Experiment {
  IntervalMethod method = IntervalMethod::kStudentT;
  Noise noise = Noise::kNormal;
  std::size_t n = 3;  ///< samples, on either side
  std::size_t replications = 10000;
  std::uint64_t seed = 1;
};

struct Coverage {
  double share = 0;           ///< of the intervals that held the true value
  double standard_error = 0;  ///< of the share, from the number of replications
};

Coverage simulate(const Experiment& experiment);

}  // namespace kstar::coverage
