#pragma once

#include <optional>
#include <string>

#include "audit/evidence.h"

/// Whether the points are one job.
namespace kstar {

/// Runs that count what they do differ in it from K to K; in which way, or none.
std::optional<std::string> uneven_work(const Evidence& evidence);

/// Why the points are no one job, in the regime that they are shown in; none where nothing says so.
std::optional<std::string> changed_problem(const Evidence& evidence);

}  // namespace kstar
