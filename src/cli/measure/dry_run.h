#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/measure_plan.h"

/// `kstar measure --dry-run`: what would run and what it would cost. Nothing is started.
namespace kstar {

/// Of --times: the file of a study, or K:TIME and baseline:TIME with commas between.
Result<std::vector<KnownTime>> given_times(const std::string& text);

/// Estimates from --times, else from the runs that the study of -o has already.
Result<void> show_plan(const MeasureSpec& spec, const Arguments& arguments, Console& console);

}  // namespace kstar
