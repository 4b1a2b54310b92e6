#pragma once

#include <optional>
#include <vector>

#include "analysis/causes/balance.h"
#include "analysis/causes/factors.h"
#include "analysis/causes/waiting.h"
#include "analysis/causes/worker_times.h"
#include "kstar/causes.h"

/// What the times of single workers show at one K, in numbers; causes_words.h says it in words.
namespace kstar::causes {

/// Cores are slower when all of them are busy (clock, shared caches, hardware threads), with
/// nothing wrong in the program. Computation scaling is named where it takes more than this.
inline constexpr double kBusyMachine = 0.10;

/// Whether the factor takes more than `least`, at its confidence; of one run, whether it is plain.
bool takes_much(const Estimate& factor, double least = kNegligible);

struct Findings {
  int workers = 1;       ///< the K looked at
  int base_workers = 1;  ///< what it is compared with
  std::size_t runs = 0;  ///< at that K
  double step = 0;       ///< seconds, there
  double confidence = 0.95;
  bool inside = false;
  FactorPoint here;
  FactorPoint base;

  /// Of efficiency, against the base; none where communication is not recorded.
  std::optional<Estimate> transfer;
  bool knows_wait = true;

  bool work_recorded = false;
  WorkSlope work;
  std::optional<Estimate> imbalance;  ///< as a factor; none where work is equal or not recorded
  std::optional<int> most_work;       ///< who has it, where the same one in all runs

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

/// The factors that findings amount to.
Estimate serial_factor(const Findings& found);
Estimate slow_factor(const SlowOne& slow);
Estimate late_factor(const LateSteps& late);

/// The straggler's: of a slow one, and of those that are late now and then. None where neither
/// takes much.
std::optional<Estimate> straggler_factor(const Findings& found);

}  // namespace kstar::causes
