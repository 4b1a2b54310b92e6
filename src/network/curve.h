#pragma once

#include <optional>

#include "network/sweep_time.h"

/// What was measured: times at sizes, and between them.
namespace kstar::costs {

/// Nothing outside the sizes of the curve.
std::optional<double> curve_time(const NetworkCurve& curve, double bytes);

/// `seen`, the curve's time, with its interval; `fitted` is what the pieces say there.
Bounded seen_time(const NetworkSweep& sweep, double bytes, double seen, const Bounded& fitted);

/// point x exp(+-relative).
Bounded around(double point, double relative);

}  // namespace kstar::costs
