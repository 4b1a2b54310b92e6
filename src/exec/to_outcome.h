#pragma once

#include "exec/messages.h"
#include "kstar/executor.h"

namespace kstar {

/// What was missing when `step` failed for the errno value `reason`, and what helps.
Error start_error(const LaunchPlan& plan, StartStep step, int reason);

/// A job that could not be started becomes an error that says what was missing.
Result<Outcome> to_outcome(const LaunchPlan& plan, RunReport report);

}  // namespace kstar
