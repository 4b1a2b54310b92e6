#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/regime.h"
#include "kstar/study.h"

/// Which part of the step stops scaling: S, E and the bend of each phase that workers recorded, and
/// of each group of MPI calls.
namespace kstar {

struct PhasePoint {
  int workers = 1;
  std::size_t runs = 0;
  Estimate time;     ///< seconds per step (of a run without steps: the whole), mean over workers
  double share = 0;  ///< of the time of all phases there
  std::optional<Estimate> speedup;  ///< against the base's; none where the base has next to nothing
  std::optional<Estimate> efficiency;
};

struct PhaseScaling {
  std::string name;    ///< compute, load, transfer, wait, serial, rest; MPI collectives ...
  bool calls = false;  ///< a group of MPI calls: a part of transfer and wait
  std::vector<PhasePoint> points;  ///< by K, from the base
  std::optional<int> bend;         ///< the first K whose efficiency is below the threshold
  double lost = 0;  ///< at the largest K: what it takes beyond its ideal, of the time there
};

struct PhaseTable {
  int base_workers = 1;
  int workers = 1;                   ///< the largest K
  std::vector<PhaseScaling> phases;  ///< by what they lose, the most first; MPI calls behind them
};

/// Empty where fewer than two K know their workers, or the regime has no speedup.
KSTAR_EXPORT PhaseTable phase_table(const Study& study, std::optional<Regime> regime,
                                    double threshold, double confidence = kConfidence);

/// The phase that loses more than all others together and is worth a sentence; null: there is none.
KSTAR_EXPORT const PhaseScaling* stopping_phase(const PhaseTable& table);

}  // namespace kstar
