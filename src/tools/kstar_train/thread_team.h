#pragma once

#include "kstar/result.h"
#include "tools/kstar_train/options.h"
#include "tools/kstar_train/outcome.h"

namespace kstar::train {

/// kstar-train.
Engine thread_engine();

/// Trains on `options.workers` threads; see Worker. An error when threads cannot be made, or when
/// the replicas differ.
Result<Outcome> train_on_threads(const Options& options);

}  // namespace kstar::train
