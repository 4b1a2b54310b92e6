#pragma once

#include <string>

#include "audit/evidence.h"

/// What a study says of its build beside its commands: columns of a table, versions, settings.
namespace kstar {

/// Why the base, or all of it, is a slow build; "" where nothing says so.
std::string slow_build(const Evidence& evidence);

/// A version that an import sums up, "-O0 at K = 1; -O3 at K = 2": the settings of each K say more.
bool is_by_workers(const std::string& value);

/// Settings at every K of the curve say that the build is optimised.
bool is_optimised_everywhere(const Evidence& evidence);

}  // namespace kstar
