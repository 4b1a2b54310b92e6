#pragma once

#include "kstar/analysis.h"

/// What lies beyond the largest measured K was not seen: a bound that only models have is none.
namespace kstar {

/// Keeps the ceiling, the bend and the K of least time of a fit within what was measured. The base
/// of the analysis is the program's own.
void bound_by_measured(const Analysis& analysis, ModelFit& fit);

/// Says of each prediction whether it leaves the one machine that all runs were on.
void set_leaves_node(const Study& study, const ScalingTable& table, ModelFit& fit);

}  // namespace kstar
