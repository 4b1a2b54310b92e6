#pragma once

#include "audit/evidence.h"

namespace kstar {

/// Computes a claim again, with what the data say at its K. Without data `evidence` is null; its
/// analysis, where there is one, has predictions at the K of all claims.
ClaimCheck check_claim(const Claim& claim, const Evidence* evidence, double good);

}  // namespace kstar
