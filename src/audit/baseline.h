#pragma once

#include <optional>
#include <string>

#include "audit/evidence.h"

namespace kstar {

/// Why what ran as T(1) is not the fastest single-worker program: another one is faster, or only
/// the base has what slows it down. None where nothing says so.
std::optional<std::string> fault_of_baseline(const Evidence& evidence);

}  // namespace kstar
