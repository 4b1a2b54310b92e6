#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kstar/launcher.h"
#include "kstar/measure_spec.h"
#include "kstar/study.h"

namespace kstar {

/// What the spec asks its launcher for at one point: the one place where the two meet.
Result<LaunchRequest> request_at(const MeasureSpec& spec, Role role, std::int64_t workers);

/// The job of one point, ready to start but for its marks' folder. `more` are variables that win
/// over all others.
Result<Launch> launch_at(const MeasureSpec& spec, Role role, std::int64_t workers,
                         const std::vector<std::pair<std::string, std::string>>& more = {});

}  // namespace kstar
