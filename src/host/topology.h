#pragma once

#include <string>
#include <vector>

#include "kstar/result.h"
#include "kstar/shape.h"

/// What workers can be bound to: hardware threads and GPUs.
namespace kstar {

/// One hardware thread.
struct HardwareThread {
  int cpu = 0;      ///< the number that the system calls it by
  int core = 0;     ///< counted from 0 in hwloc's order
  int package = 0;  ///< likewise
  int sibling = 0;  ///< 0: the first of its core
};

/// The hardware threads that this process may use (cpusets and its own binding are respected), in
/// hwloc's order. `synthetic` describes another machine.
Result<std::vector<HardwareThread>> hardware_threads(const std::string& synthetic = "");

/// The same in the order in which workers take them.
std::vector<HardwareThread> in_order(std::vector<HardwareThread> threads, Placement placement);

/// The version of the hwloc library that is linked.
std::string hwloc_version();

/// The names of the NVIDIA GPUs under `root`/proc/driver/nvidia, in the order of their bus
/// addresses; where that is not there, as nvidia-smi lists them (only on this machine, root "/").
std::vector<std::string> accelerators(const std::string& root = "/");

}  // namespace kstar
