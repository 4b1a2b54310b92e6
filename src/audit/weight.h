#pragma once

#include <functional>
#include <vector>

#include "kstar/audit.h"

namespace kstar {

/// The finding of this status that weighs most, of those that `counts` takes; null for none. What
/// slowed T(1) weighs most among contradictions, then a problem that changes, then numbers; among
/// what is missing, the six rows.
const Finding* heaviest(const std::vector<Finding>& findings, FindingStatus status,
                        const std::function<bool(const Finding&)>& counts);

}  // namespace kstar
