#pragma once

#include <span>
#include <vector>

#include "analysis/fit/draws.h"
#include "kstar/models.h"

namespace kstar::curves {

/// What one more run at each of some K would do to the prediction at `target`, the best first.
std::vector<NextMeasurement> next_measurements(const Draws& draws,
                                               std::span<const CurvePoint> points, double target);

}  // namespace kstar::curves
