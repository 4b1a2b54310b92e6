#include "analysis/causes/registry.h"

namespace kstar::causes {

/// Named by memory_scaling() alone, which knows the machine.
const CauseEntry kMemoryBandwidthCause = {.about = {CauseKind::kMemoryBandwidth, "memory_bandwidth",
                                                    "shared memory bandwidth", "memory bandwidth"},
                                          .of_parallel = false};

}  // namespace kstar::causes
