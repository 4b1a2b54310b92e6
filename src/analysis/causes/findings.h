#pragma once

#include <optional>
#include <vector>

#include "analysis/causes/balance.h"
#include "analysis/causes/factors.h"
#include "analysis/causes/waiting.h"
#include "analysis/causes/worker_times.h"
#include "kstar/causes.h"

/// What the times of single workers show at one K, in numbers; each cause says it in words.
namespace kstar::causes {

struct Findings {
  FactorPoint here;                                ///< at the K looked at
  FactorPoint base;                                ///< what it is compared with
  const std::vector<WorkerTimes>* runs = nullptr;  ///< here; those of the WorkerStudy
  double step = 0;                                 ///< seconds, here
  double confidence = kConfidence;

  /// Of efficiency, against the base; none where communication is not recorded.
  std::optional<Estimate> transfer;
  bool has_wait = true;

  bool work_recorded = false;
  WorkSlope work;

  std::optional<SlowOne> slow;  ///< the same one in all runs; only where certain
  std::optional<SerialPart> serial;
  LateSteps late;

  Estimate rest_balance;      ///< load balance without what work and `slow` explain
  double chance_balance = 1;  ///< what chance alone would make of it; 1: not known
  SpeedNoise noise;           ///< of one worker, at the base
};

/// None where no K above the base has runs with two workers or more.
std::optional<Findings> find_causes(const WorkerStudy& study, std::optional<Regime> regime,
                                    double confidence);

}  // namespace kstar::causes
