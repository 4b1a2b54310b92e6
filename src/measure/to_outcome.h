#pragma once

#include "kstar/executor.h"
#include "measure/messages.h"

namespace kstar {

/// A job that could not be started becomes an error that says what was missing.
Result<Outcome> to_outcome(const LaunchPlan& plan, RunReport report);

}  // namespace kstar
