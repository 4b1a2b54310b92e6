#pragma once

#include <limits>
#include <vector>

#include "kstar/network_cost.h"

/// The time of one sweep's collective on its own K, at any size.
namespace kstar::costs {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// Of one collective; ascending K.
using Sweeps = std::vector<const NetworkSweep*>;

/// The piece that a size belongs to.
const NetworkPiece& piece_at(const NetworkSweep& sweep, double bytes);

/// By the pieces alone, which single sizes disturb less; `beyond` becomes true outside of the
/// sizes.
Bounded piece_time(const NetworkSweep& sweep, double bytes, bool& beyond);

/// Likewise, with an interval that holds what was measured there.
Bounded holding_seen(const NetworkSweep& sweep, double bytes, bool& beyond);

/// Sizes far above those of a sweep that tells no bandwidth have no time.
bool says_nothing(const NetworkSweep& sweep, double bytes);

}  // namespace kstar::costs
