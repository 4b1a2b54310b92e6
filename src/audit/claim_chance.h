#pragma once

#include <optional>

#include "kstar/analysis.h"

namespace kstar {

/// How likely S at this K is `speedup` or more, by the posterior of the fitted curve: from the ends
/// of its intervals at several confidences. None where there is no curve. Never below 1% or above
/// 99%: nobody is that sure of a model where it was not tested.
std::optional<double> chance_of_speedup(const Study& study, const AnalysisOptions& options,
                                        double workers, double speedup);

}  // namespace kstar
