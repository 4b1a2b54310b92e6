#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/launcher.h"
#include "kstar/result.h"

namespace kstar {

/// What a Slurm allocation gives, from the variables that it sets.
struct Allocation {
  std::string job;                 ///< SLURM_JOB_ID
  std::vector<std::string> hosts;  ///< SLURM_JOB_NODELIST, one name each
  std::vector<int> cpus;           ///< of each host; empty: not known
};

/// Nothing outside of an allocation; an error where its variables cannot be read.
Result<std::optional<Allocation>> slurm_allocation();

/// The first nodes of those that a request names, or of the allocation it is made in, or this
/// machine; an error names how many there are.
Result<std::vector<std::string>> nodes_for(const LaunchRequest& request);

}  // namespace kstar
