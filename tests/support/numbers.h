#pragma once

#include <limits>

/// Numbers that no measurement has.
namespace kstar {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace kstar
