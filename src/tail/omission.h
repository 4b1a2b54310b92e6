#pragma once

#include "tail/percentile.h"

namespace kstar::tail {

/// `shares` are the percentiles that are corrected; `rate` is what was meant to be sent per second.
Omission find_omission(const LatencySet& set, std::optional<double> rate,
                       const std::vector<double>& shares);

}  // namespace kstar::tail
