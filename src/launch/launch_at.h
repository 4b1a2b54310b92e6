#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kstar/launcher.h"
#include "kstar/measure_spec.h"
#include "kstar/study.h"

namespace kstar {

/// The job of one point, ready to start but for its marks' folder. `more` are variables that win
/// over all others.
Result<Launch> launch_at(const MeasureSpec& spec, Role role, std::int64_t workers,
                         const std::vector<std::pair<std::string, std::string>>& more = {});

}  // namespace kstar
