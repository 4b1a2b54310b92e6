#pragma once

#include <cstdint>
#include <string>

#include "kstar/launcher.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"

namespace kstar {

/// The job at one K with `library` in its ranks, which leave their files in `folder`. The launcher
/// knows the variables: one with other nodes passes them on.
Result<Launch> launch_inside(const MeasureSpec& spec, std::int64_t workers,
                             const std::string& library, const std::string& folder);

/// What the ranks left in `folder`, put into a run that has ended, well or not. A run of which
/// nothing is there has failed.
void look_inside(const std::string& folder, Run& run);

}  // namespace kstar
