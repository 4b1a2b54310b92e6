#pragma once

#include <cstdint>

namespace kstar {

/// The most workers that anything may be asked about.
inline constexpr std::int64_t kMostWorkers = 1'000'000'000;

/// How sure every interval is, unless the user asks for another.
inline constexpr double kConfidence = 0.95;

/// The efficiency below which more workers are not worth it, unless the user asks for another.
inline constexpr double kThreshold = 0.70;

}  // namespace kstar
