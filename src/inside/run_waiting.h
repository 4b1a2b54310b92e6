#pragma once

#include <vector>

#include "inside/file.h"
#include "kstar/inside.h"

namespace kstar {

/// Fills in the waiting of every rank and communicator from the files, which are in the order of
/// run.ranks. Where only some collectives were logged, those stand for all.
void add_waiting(const std::vector<InsideFile>& files, InsideRun& run);

}  // namespace kstar
