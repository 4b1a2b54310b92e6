#pragma once

#include <vector>

#include "audit/evidence.h"

namespace kstar {

/// What a claim is checked against. Without data `evidence` is null.
struct ClaimGround {
  const Evidence* evidence = nullptr;
  const std::vector<Finding>* findings = nullptr;  ///< of all rules, with data
  const AuditOptions* options = nullptr;
};

/// Checks a claim against what it implies by itself, the data at its K, the rules that its evidence
/// broke and, last, the models: never those of ratios that the claimant computed.
ClaimCheck check_claim(const Claim& claim, const ClaimGround& ground);

}  // namespace kstar
