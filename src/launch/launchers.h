#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/launcher.h"
#include "kstar/result.h"

/// The launchers, one file each (launcher_NAME.cc), and what they share.
namespace kstar {

Result<Launch> launch_locally(const LaunchRequest& request);
Result<Launch> launch_with_mpi(const LaunchRequest& request);
Result<Launch> launch_with_slurm(const LaunchRequest& request);
Result<Launch> launch_with_torchrun(const LaunchRequest& request);

/// The devices that a job may see: those that the caller was given, else all of them.
std::vector<std::string> visible_gpus();

/// The first `count` GPUs of those that a job here may see.
Result<std::string> gpu_list(int count);

/// srun and what tells it the shape and the nodes of a step; `hosts` becomes these nodes. An error
/// says that there is no allocation, or that it is too small.
Result<std::vector<std::string>> srun_words(const LaunchRequest& request,
                                            std::vector<std::string>& hosts);

/// Whether srun could not ask for its step, because the controller did not answer.
bool had_no_controller(const Outcome& outcome);

/// Seconds that a launcher of several nodes gets to end its ranks before it is killed.
inline constexpr double kRemoteGrace = 5;

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
