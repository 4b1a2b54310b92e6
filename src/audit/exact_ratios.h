#pragma once

#include "audit/evidence.h"

namespace kstar {

/// Whether numbers of the curve were computed from each other: run by run, by the ratio of their K,
/// or by speedups with few decimals.
RuleVerdict exact_ratios(const Evidence& evidence);

}  // namespace kstar
