#pragma once

#include <optional>
#include <vector>

#include "plan/goals.h"

namespace kstar::planning {

/// PlanOptions::jobs on PlanOptions::pool; none where they are not given.
std::optional<ManyJobs> many_jobs(const PricedJob& priced, const PlanOptions& options);

/// At the K of the plan's rows: how much work fits the deadline or, without one, the time of the
/// first answer. Empty where it is not known what the time is made of.
std::vector<LargerProblem> larger_problems(const PlanJob& job, const Plan& plan);

}  // namespace kstar::planning
