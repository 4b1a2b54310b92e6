#pragma once

#include <cstdint>
#include <vector>

namespace kstar::train {

/// What a training job gave.
struct Outcome {
  std::vector<double> losses;        ///< the mean loss of each step's batch
  std::vector<double> gradient;      ///< the mean gradient of the last step
  std::vector<double> parameters;    ///< at the end
  std::vector<std::int64_t> shares;  ///< samples per step of each worker
  double seconds_per_step = 0;       ///< mean over the steps behind the warm-up
};

}  // namespace kstar::train
