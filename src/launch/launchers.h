#pragma once

#include <string>
#include <vector>

#include "kstar/launcher.h"

/// The launchers, one file each (launcher_NAME.cc), and what they share.
namespace kstar {

Result<Launch> launch_locally(const LaunchRequest& request);
Result<Launch> launch_with_mpi(const LaunchRequest& request);
Result<Launch> launch_with_slurm(const LaunchRequest& request);
Result<Launch> launch_with_torchrun(const LaunchRequest& request);

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

}  // namespace kstar
