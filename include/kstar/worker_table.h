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

/// Where the time of the workers goes at each K, and who of them is slow: from the runs that know
/// their workers, as the diagnosis sees them.
namespace kstar {

/// One worker at one K, over runs.
struct WorkerPace {
  int worker = 0;
  std::string host;    ///< "" where not known, or not always the same
  Estimate useful;     ///< seconds a step of computing and loading data
  Estimate over_mean;  ///< the same over the mean of all workers: above 1 is slower, or has more
};

/// Seconds a step (of a run without steps: the whole), the mean over workers. All parts sum to
/// `time`, but where phases overlap: then `rest` is 0 and they are more.
struct WorkerPoint {
  int workers = 1;
  std::size_t runs = 0;  ///< that know all their workers
  Estimate time;
  Estimate compute;
  std::optional<Estimate> load;      ///< loading data; of profiled ranks, the files of MPI
  std::optional<Estimate> transfer;  ///< moving data; none where communication is not recorded
  std::optional<Estimate> wait;      ///< for others; without `serial`
  std::optional<Estimate> serial;    ///< while one worker at most is busy, where that was found
  Estimate rest;                     ///< in no phase that was recorded
  std::vector<WorkerPace> paces;     ///< of every worker
};

struct WorkerTable {
  std::vector<WorkerPoint> points;  ///< by K
  bool inside = false;              ///< from runs that look inside: no plain one knows its workers
  std::size_t partly = 0;           ///< runs left out: they know some of their workers only
};

/// Empty where no run knows its workers. `regime` is the one that was found, as for a diagnosis.
KSTAR_EXPORT WorkerTable worker_table(const Study& study, std::optional<Regime> regime,
                                      double confidence = kConfidence);

}  // namespace kstar
