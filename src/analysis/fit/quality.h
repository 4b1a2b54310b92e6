#pragma once

#include "analysis/fit/posterior.h"
#include "kstar/models.h"

namespace kstar::curves {

/// How well any of the forms holds what was measured.
GoodnessOfFit goodness_of(const Posterior& posterior);

}  // namespace kstar::curves
