#pragma once

#include <cstddef>
#include <string>

#include "kstar/estimate.h"

/// Numbers as they stand in the evidence of causes.
namespace kstar::causes {

/// 0.83 (0.79 to 0.87); without an interval: 0.83.
std::string factor_text(const Estimate& factor);

/// 12% (9% to 15%).
std::string share_text(const Estimate& share);

/// 1.25 ms.
std::string seconds_text(double seconds);

}  // namespace kstar::causes
