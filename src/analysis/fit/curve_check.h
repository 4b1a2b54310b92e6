#pragma once

#include <vector>

#include "analysis/fit/curve_posterior.h"
#include "kstar/models.h"
#include "kstar/result.h"

namespace kstar::curves {

/// The curve's points by K, each with the error of its logarithm. Few runs tell their own scatter
/// badly: each K's is drawn towards that of all K. Fails on a curve that is none.
Result<std::vector<Sample>> samples_of(const Curve& curve);

}  // namespace kstar::curves
