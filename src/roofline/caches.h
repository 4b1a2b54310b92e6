#pragma once

#include <string>
#include <vector>

#include "kstar/result.h"

/// What hwloc knows of this machine's caches, and binding of threads to its cores.
namespace kstar::roofline {

struct CacheLevel {
  std::string level;      ///< "l1", "l2", "l3"
  std::size_t bytes = 0;  ///< of one of them
  int shared_by = 1;      ///< hardware threads that share one
  std::size_t total = 0;  ///< of all that this process can use
};

/// From the nearest to the farthest.
Result<std::vector<CacheLevel>> caches();

/// The hardware threads that this process may use, one of each core first.
Result<std::vector<int>> cpus_in_order();

/// Binds the calling thread; false where the system refuses.
bool bind_to(int cpu);

/// Bytes of memory that are free for a program now; 0: not known.
double free_memory();

}  // namespace kstar::roofline
