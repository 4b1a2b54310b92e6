#pragma once

#include <vector>

#include "cli/arguments.h"
#include "kstar/plan.h"

/// What a plan is asked for, on the command line: of plan, figure and report.
namespace kstar {

/// --work, --price, --goal, the rest of the costs, and the limits.
std::vector<Flag> plan_flags();

/// Those for a chart or a section of costs.
std::vector<Flag> cost_flags();

Result<PlanOptions> plan_options(const Arguments& arguments);

}  // namespace kstar
