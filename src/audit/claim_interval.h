#pragma once

#include "audit/evidence.h"

namespace kstar {

/// S at this point, of a table with efficiencies. The order of an imported table's runs says
/// nothing of time: where they are not paired in blocks they are taken as exchangeable, and the
/// interval is Student's on logarithms, with the noise of all K where it does not differ between
/// them.
Estimate speedup_for_claims(const Evidence& evidence, const ScalingPoint& at);

}  // namespace kstar
