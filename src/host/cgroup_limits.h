#pragma once

#include <cstdint>
#include <optional>

#include "exec/system_files.h"

namespace kstar {

/// The tightest limits that control groups (version 1 or 2) set to this process, over its group and
/// all above it.
struct CgroupLimits {
  std::optional<double> cpus;          ///< CPU seconds per second
  std::optional<std::int64_t> memory;  ///< bytes
};

CgroupLimits cgroup_limits(const SystemFiles& files);

}  // namespace kstar
