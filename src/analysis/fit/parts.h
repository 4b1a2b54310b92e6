#pragma once

#include <optional>
#include <vector>

#include "analysis/fit/efficiency_curve.h"
#include "kstar/analysis.h"

/// The parts of an analysis that have no header of their own; analyze.cc puts them together.
namespace kstar {

/// Of the runs that count and have three steady steps or more, by K.
std::vector<StepStability> step_stability(const Study& study, double confidence);

/// None where no efficiency is above 1 beyond the noise.
std::optional<SuperlinearQuestion> superlinear_question(const Study& study,
                                                        const ScalingTable& table);

/// Against a T(1) of `seconds`, known without error, instead of the table's own: where that
/// has a K = 1, it is 1 now.
OtherBaseline against_time(const ScalingTable& table, const SampleGroups& groups, double seconds,
                           const BendOptions& options);

/// Against the parallel program's own smallest K, where the base is another program.
std::optional<OtherBaseline> against_own(const ScalingTable& table, const SampleGroups& groups,
                                         Scope scope, const BendOptions& options);

}  // namespace kstar
