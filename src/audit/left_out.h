#pragma once

#include "audit/evidence.h"

namespace kstar {

/// Whether runs or K are missing that the study itself speaks of.
RuleVerdict nothing_left_out(const Evidence& evidence);

}  // namespace kstar
