#pragma once

#include "audit/evidence.h"

namespace kstar {

/// Whether the record says how the program was built, and nothing in it slows the program down: a
/// debug build, a tracer, what only a job needs that does not fit one worker.
Verdict optimised_build(const Evidence& evidence);

}  // namespace kstar
