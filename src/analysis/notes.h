#pragma once

#include <vector>

#include "kstar/analysis.h"

namespace kstar {

/// What of the study a reader of the analysis must know: its own warnings, failed runs, K without
/// an interval, a base that is not one worker, an efficiency that comes back, steps that drift.
std::vector<Note> analysis_notes(const Study& study, const Analysis& analysis);

}  // namespace kstar
