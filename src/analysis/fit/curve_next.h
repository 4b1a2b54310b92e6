#pragma once

#include <span>
#include <vector>

#include "analysis/fit/curve_predict.h"
#include "kstar/models.h"

namespace kstar::curves {

/// What one more run at each of some K would do to the prediction at `target`, the best first.
std::vector<NextMeasurement> next_measurements(std::span<const Draw> draws,
                                               std::span<const Sample> samples,
                                               std::span<const CurvePoint> points, double target);

}  // namespace kstar::curves
