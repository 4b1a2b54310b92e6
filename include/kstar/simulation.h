#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/prediction.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// A law turned into a Study of noisy samples: what a measurement of such a job would have given.
namespace kstar {

struct SimulationOptions {
  int runs = 5;         ///< at each K
  double noise = 0.02;  ///< standard deviation of a run, relative to its time; normal
  std::uint64_t seed = 1;
  /// The slowest run at each K takes longer by a factor drawn from 1 to this: a straggler that
  /// gates a synchronous step now and then. 1 is none.
  double straggler = 1;
};

/// Reads `runs=5,noise=0.02,seed=7,straggler=1.5`; what is not said keeps its default.
KSTAR_EXPORT Result<SimulationOptions> parse_simulation(std::string_view text);

/// The same instance, worker counts and options give the same Study, on every machine. Runs come
/// in blocks, each K once per block in random order. A law's own straggler term is drawn for every
/// run: it waits or it does not. `command` is recorded as what made the Study.
KSTAR_EXPORT Result<Study> simulate(const LawInstance& instance,
                                    std::span<const std::int64_t> workers,
                                    const SimulationOptions& options,
                                    std::vector<std::string> command);

}  // namespace kstar
