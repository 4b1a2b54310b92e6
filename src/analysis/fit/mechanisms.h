#pragma once

#include <vector>

#include "analysis/fit/posterior.h"
#include "kstar/models.h"

namespace kstar::curves {

/// How likely each mechanism explains the loss at the largest K, by the posterior of all forms. A
/// form with several parts counts for one of them: for the growing one where that takes a fifth of
/// the loss or more, as it is what more workers make worse; otherwise for the largest.
std::vector<MechanismChance> mechanism_chances(const Posterior& posterior);

}  // namespace kstar::curves
