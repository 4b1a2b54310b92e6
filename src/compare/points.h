#pragma once

#include <vector>

#include "compare/side.h"

namespace kstar::comparing {

/// What changed at every K, with its verdict. Fails where the times make no ratio.
Result<std::vector<WorkersChange>> changes_at_all(const Side& before, const Side& after,
                                                  const CompareOptions& options);

}  // namespace kstar::comparing
