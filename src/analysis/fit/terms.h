#pragma once

#include <string>
#include <vector>

#include "analysis/fit/posterior.h"
#include "kstar/models.h"

namespace kstar::curves {

/// The forms with their weights and the costs of their parts, the heaviest first. `notes` gets what
/// cannot be told apart, and what would.
std::vector<FittedModel> fitted_models(const Posterior& posterior, double confidence,
                                       std::vector<std::string>& notes);

}  // namespace kstar::curves
