#pragma once

#include <optional>

#include "kstar/causes.h"

namespace kstar::causes {

/// Where more workers change nothing and at most one core is busy: sleep, a global lock, a flag
/// that is missing. None where S grows, or the runs do not know their CPU time.
std::optional<Cause> one_core(const Study& study, const ScalingTable& table, double confidence);

}  // namespace kstar::causes
