#pragma once

#include "kstar/compare.h"

namespace kstar::comparing {

/// Judges one gate by what was compared. Fails where the gate's K was not, or where the regime has
/// no S and E.
///
/// It fails where the change is beyond the limit and evident, after the correction for many K. It
/// passes where the interval holds no change beyond the limit. All else is undecided: more runs
/// would tell.
Result<GateOutcome> judge(const Gate& gate, const Comparison& comparison);

}  // namespace kstar::comparing
