#pragma once

#include "analysis/table/samples.h"
#include "kstar/models.h"
#include "kstar/scaling_table.h"

namespace kstar {

/// The curve of the parallel program: another program's T(1) is no point of it. Where the runs came
/// in blocks, what a block shares moves all K alike: it is the curve's error, and not its points'.
Curve measured_curve(const ScalingTable& table, const SampleGroups& groups);

}  // namespace kstar
