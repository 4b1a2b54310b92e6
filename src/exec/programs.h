#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// The file that would be started, as execvp finds it; empty when there is none.
std::string find_program(const std::string& name);

/// What a program says about itself: its output, run once in the life of this process. Empty when
/// it cannot be run, fails, or takes longer than ten seconds.
std::string ask_program(const std::vector<std::string>& command);

}  // namespace kstar
