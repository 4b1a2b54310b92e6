#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Where the time of MPI ranks goes at each K, from the runs that look inside, and what looking
/// costs.
namespace kstar {

/// Shares are of the time from MPI_Init to MPI_Finalize, over all ranks of a run; the estimate is
/// over runs.
struct InsidePoint {
  int workers = 1;
  std::size_t runs = 0;    ///< that the shares are from
  std::size_t failed = 0;  ///< that looked inside and failed
  Estimate useful;         ///< outside of MPI
  Estimate mpi;
  std::optional<Estimate> wait;      ///< of MPI: early at a collective; absent: not known in all
  std::optional<Estimate> transfer;  ///< the rest of MPI, less files; known where wait is
  std::optional<Estimate> file;      ///< of MPI: its files; absent where none was touched

  double least_wait = 0;  ///< of the rank that waits least, a share of its own time
  double most_wait = 0;
  /// The rank that waits least in every run, by more than a hundredth of the time: the one that the
  /// others wait for.
  std::optional<int> waited_for;

  /// T with the library over T without, paired by block where three blocks have both.
  std::optional<Estimate> cost;
};

struct InsideTable {
  std::vector<InsidePoint> points;  ///< by K, those with runs that look inside
  std::vector<Note> notes;          ///< the cost at each K, and what the ranks' files lack
};

/// Empty where no run looked inside.
KSTAR_EXPORT InsideTable inside_table(const Study& study, double confidence = kConfidence);

}  // namespace kstar
