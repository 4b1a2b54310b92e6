#pragma once

#include <span>

namespace kstar::stats {

/// Of at least one sample, in ascending order.
double median_of_sorted(std::span<const double> sorted);

}  // namespace kstar::stats
