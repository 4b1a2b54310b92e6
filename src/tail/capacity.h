#pragma once

#include "tail/percentile.h"

namespace kstar::tail {

/// What is known of one level of load, for a fit.
struct LoadPoint {
  double load = 0;       ///< requests per second
  double mean = 0;       ///< latency
  double error = 0;      ///< of the mean, relative
  double in_flight = 0;  ///< requests
};

/// Levels by load, the percentile of the SLO in each; `idle` is the distribution of the least load.
Capacity find_capacity(const std::vector<LoadPoint>& points, const std::vector<TailLevel>& levels,
                       const std::optional<Slo>& slo, const Distribution& idle, double confidence);

/// Levels by requests in flight: such clients offer what they are served, and no queueing law of a
/// load that comes by itself is fitted.
Capacity find_concurrency(const std::vector<LoadPoint>& points,
                          const std::vector<TailLevel>& levels, double confidence);

}  // namespace kstar::tail
