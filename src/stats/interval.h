#pragma once

#include <cstddef>

#include "kstar/estimate.h"

namespace kstar::stats {

/// What is left when the scatter is unknown: the point, and everything between the infinities.
Estimate no_interval(double point, std::size_t n, double confidence, Scope scope);

/// point * exp(-t e) to point * exp(t e), t of Student, for what was computed on the logarithmic
/// scale. `log_error` is the standard error there; the delta method brings it back.
Estimate log_interval(double point, double log_error, double degrees, double confidence);

}  // namespace kstar::stats
