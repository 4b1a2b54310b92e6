#pragma once

#include <vector>

#include "kstar/analysis.h"

namespace kstar {

/// What the table and the bend of an analysis give reason to doubt, the gravest first.
std::vector<Suspicion> suspicions_of(const Study& study, const Analysis& analysis);

}  // namespace kstar
