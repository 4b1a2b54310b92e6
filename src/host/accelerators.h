#pragma once

#include <string>
#include <vector>

namespace kstar {

/// The names of the NVIDIA GPUs under `root`/proc/driver/nvidia, in the order of their bus
/// addresses; where that is not there, as nvidia-smi lists them (only on this machine, root "/").
std::vector<std::string> accelerators(const std::string& root = "/");

}  // namespace kstar
