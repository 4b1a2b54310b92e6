#pragma once

#include <string>

#include "kstar/result.h"

namespace kstar {

/// errno, or 0. Some file systems have no links: then the file moves.
int give_second_name(const std::string& file, const std::string& name);

/// Gives `file` the name PLACE.failed-1, or the next that is free: runs that are no study to rely
/// on tell why they failed, and replace nothing.
Result<std::string> keep_failed(const std::string& file, const std::string& place);

}  // namespace kstar
