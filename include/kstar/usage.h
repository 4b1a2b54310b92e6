#pragma once

#include <cstdint>
#include <string>

#include "kstar/small_optional.h"

namespace kstar {

/// What one execution used of its machine, and what the machine did meanwhile: why a run may have
/// been slow. What is not known is absent.
struct Usage {
  SmallOptional<double> cpu_user;  ///< seconds, over all its processes that were waited for
  SmallOptional<double> cpu_system;
  /// Bytes, of the largest process. Linux counts the memory of the process that starts the job,
  /// too: of a job that needs no more than that (a few MiB) it is not known.
  SmallOptional<std::int64_t> peak_memory;
  SmallOptional<std::int64_t> minor_faults;
  SmallOptional<std::int64_t> major_faults;
  SmallOptional<std::int64_t> voluntary_switches;
  SmallOptional<std::int64_t> involuntary_switches;
  SmallOptional<std::int64_t> migrations;  ///< of its threads between CPUs, where Linux lets count
  SmallOptional<double> load;  ///< the machine's load average over the minute before its start
  /// CPU seconds of everything but the job while it ran, and those that a hypervisor gave to other
  /// machines; of runs from 50 ms on, as the system counts in steps of 10 ms.
  SmallOptional<double> cpu_others;
  SmallOptional<double> cpu_stolen;
  /// Seconds that its threads were ready to run and had no CPU, over all threads: other jobs, a
  /// quota, or more threads than CPUs. Looked up while it runs; absent where most of its CPU time
  /// was used by processes that ended between two looks.
  SmallOptional<double> cpu_wait;
  bool operator==(const Usage&) const = default;
};

/// Of the processor, in user mode, over all threads: where the system lets count them.
struct HardwareCounts {
  SmallOptional<double> instructions;
  SmallOptional<double> cycles;
  std::string extra;
  bool operator==(const HardwareCounts&) const = default;
};

}  // namespace kstar
