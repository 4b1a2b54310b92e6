#pragma once

#include "kstar/audit.h"

namespace kstar {

/// Computes a claim again, with what the data say at its K. `analysis` may be null, and has
/// predictions at the K of all claims.
ClaimCheck check_claim(const Claim& claim, const Analysis* analysis, double good);

}  // namespace kstar
