#pragma once

#include <string>
#include <vector>

#include "kstar/launcher.h"

/// The launchers, one file each (launcher_NAME.cc), and what they share.
namespace kstar {

Result<Launch> launch_locally(const LaunchRequest& request);

/// The first `count` GPUs of those that a job here may see.
Result<std::string> gpu_list(int count);

}  // namespace kstar
