#pragma once

#include <functional>
#include <vector>

#include "kstar/audit.h"

namespace kstar {

/// The finding of this status that weighs most (RuleWeight), of those that `counts` takes; null for
/// none.
const Finding* heaviest(const std::vector<Finding>& findings, FindingStatus status,
                        const std::function<bool(const Finding&)>& counts);

}  // namespace kstar
