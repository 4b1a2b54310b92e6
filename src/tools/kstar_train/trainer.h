#pragma once

#include <cstdint>
#include <vector>

#include "kstar/result.h"
#include "tools/kstar_train/options.h"

namespace kstar::train {

/// What a training job gave.
struct Outcome {
  std::vector<double> losses;        ///< the mean loss of each step's batch
  std::vector<double> gradient;      ///< the mean gradient of the last step
  std::vector<double> parameters;    ///< at the end
  std::vector<std::int64_t> shares;  ///< samples a step of each worker
  double seconds_per_step = 0;       ///< mean over the steps behind the warm-up
};

/// Trains on `options.workers` threads. Each worker holds a replica of the network, takes its share
/// of the batch, and the gradients are summed over all; the batch of a step does not depend on the
/// number of workers. An error when threads cannot be made, or when the replicas came apart.
Result<Outcome> train(const Options& options);

}  // namespace kstar::train
