#pragma once

#include "tail/percentile.h"

/// What one latency means for requests that are made of several.
namespace kstar::tail {

/// The slowest of K: F^K, for the K asked for, powers of two, and the K at which the SLO breaks, of
/// which so many requests are good.
FanOut fan_out(const Percentiles& one, const TailOptions& options,
               const std::optional<TailShare>& good);

/// min(X, d + X'), for delays at several percentiles.
std::vector<HedgeRow> hedges(const Percentiles& one, const std::vector<double>& shares,
                             double confidence);

/// The two parameters of the law of stragglers; absent with too few samples.
std::optional<TailStraggler> straggler(const Percentiles& one);

/// Row i of each set is one request to all of them.
Together together(const std::vector<LatencySet>& sets, const std::optional<Slo>& slo,
                  double confidence);

}  // namespace kstar::tail
