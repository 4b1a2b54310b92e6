#pragma once

#include <span>
#include <string_view>

#include "kstar/result.h"

/// What every estimator asks of its input, said the same way everywhere.
namespace kstar::stats {

/// At least one sample, and every sample a number whose square is finite too.
Result<void> check_samples(std::string_view where, std::span<const double> samples);

/// check_samples, and every sample above zero.
Result<void> check_positive(std::string_view where, std::span<const double> samples);

/// Strictly between 0 and 1.
Result<void> check_confidence(double confidence);

}  // namespace kstar::stats
