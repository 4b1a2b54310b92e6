#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kstar/roofline.h"

namespace kstar::placing {

inline constexpr double kGiga = 1e9;

/// "91%", "0.4%".
std::string share_text(double share);

/// "memory", "L2", "fp32 compute", "latency", "not known".
std::string bound_text(const RooflinePlace& place);

/// The precision that a kernel is compared with; "" where there is none.
std::string precision_text(const RooflinePlace& place);

/// The ceiling that it reaches the most of, in words, and how much of it.
std::optional<std::pair<std::string, Estimate>> nearest_ceiling(const RooflinePlace& place);

/// "83% of the fp64 peak of avx2 alone": the lower ceiling that it may be at; "" where there is
/// none.
std::string lower_text(const RooflinePlace& place);

/// Why the answer may be wrong, to be said first: kernels above a ceiling are in it.
std::vector<std::string> doubts_of(const Roofline& roofline);

/// "1.2x", or "?".
std::string headroom_text(const RooflinePlace& place);

}  // namespace kstar::placing
