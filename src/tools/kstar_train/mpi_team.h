#pragma once

#include <string>
#include <vector>

#include "kstar/result.h"
#include "tools/kstar_train/options.h"
#include "tools/kstar_train/outcome.h"

namespace kstar::train {

/// The ranks of MPI_COMM_WORLD, from MPI_Init to MPI_Finalize. An error of MPI ends the job.
class MpiWorld {
 public:
  MpiWorld(int& argc, char**& argv);
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  int rank() const;
  int size() const;

  /// An error, on every rank, where one was started with other words than rank 0: it would train
  /// another network, or wait for what never comes.
  Result<void> agree_on(const std::vector<std::string>& words) const;

  /// Ends all ranks at once.
  [[noreturn]] void abort(int status) const;
};

/// kstar-train-mpi.
Engine mpi_engine(const MpiWorld& world);

/// Trains on the ranks of the world; see Worker. Every rank calls it, and gets its own losses and
/// timing. An error, on every rank, when the replicas differ.
Result<Outcome> train_on_ranks(const Options& options, const MpiWorld& world);

}  // namespace kstar::train
