#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

/// A control group (cgroups(7), version 2) for the process that runs jobs and for all that they
/// start: no setsid and no cleared environment leads out of it. Where none can be made, because
/// nobody delegated one to this user, nothing happens.
namespace kstar {

/// The calling process, and all that it starts from now on, goes into one named by `mark`.
void enter_job_cgroup(const std::string& mark);

/// Ends what is left in those whose mark fits, and removes them. How many processes that were.
int end_job_cgroups(const std::function<bool(const std::string& mark)>& fits);

}  // namespace kstar
