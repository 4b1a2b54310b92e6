#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/machine.h"
#include "kstar/result.h"

/// Measuring the ceilings of this machine.
namespace kstar {

struct CeilingOptions {
  std::vector<int> threads;      ///< empty: 1, 2, 3, 4, 6, 8, 12, 16 ... up to all
  int repetitions = 10;          ///< rounds; every ceiling is measured once in each
  double sample_seconds = 0.02;  ///< that one measurement takes at least
  double memory_bytes = 0;       ///< of each array of the largest level; 0: 4 times the last cache
  bool compute = true;
  bool bandwidth = true;
  bool caches = true;      ///< of the bandwidth
  std::string precision;   ///< of operations; "": all
  std::string kernel;      ///< of bandwidths: "triad"; "": all
  std::uint64_t seed = 1;  ///< of the order within a round
  const std::atomic<bool>* stop = nullptr;
};

/// How far it has come, before every measurement.
struct CeilingProgress {
  int round = 0, rounds = 0;
  std::string what;  ///< "memory triad on 4 threads"
};

/// Threads are bound with hwloc, one per core first; each touches its own arrays first. In every
/// round each ceiling is measured once, in an order shuffled anew, so that a machine that changes
/// its speed changes it for all of them.
KSTAR_EXPORT Result<MachineCeilings> measure_ceilings(
    const CeilingOptions& options,
    const std::function<void(const CeilingProgress&)>& progress = {});

/// What is measured by default on so many threads: 1, 2, 3, 4, 6, 8, 12 ... and all of them.
KSTAR_EXPORT std::vector<int> usual_thread_counts(int most);

/// The output of kstar-gpu-ceilings: JSON with name, and compute and bandwidth with samples.
KSTAR_EXPORT Result<MachineCeilings> parse_gpu_ceilings(std::string_view text,
                                                        std::string_view name);

}  // namespace kstar
