#pragma once

#include <span>

namespace kstar::stats {

/// kstar::effective_sample_size of samples that were checked and whose mean is known.
double effective_sample_size(std::span<const double> samples, double mean);

}  // namespace kstar::stats
