#pragma once

#include <vector>

#include "trace/rank.h"

namespace kstar::tracing {

/// The ranks of all files to one analysis for each job (each K, each session of profiling).
Result<std::vector<TraceAnalysis>> analyze_ranks(std::vector<RankSummary> ranks,
                                                 const TraceOptions& options);

/// What more workers would give, with the times of `analysis`.
void add_laws(TraceAnalysis& analysis, const TraceOptions& options);

}  // namespace kstar::tracing
