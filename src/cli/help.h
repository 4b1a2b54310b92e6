#pragma once

#include <string>

#include "cli/command.h"

namespace kstar {

/// The help of one command, for a screen of this width.
std::string help_text(const Command& command, const std::string& path, int screen_width);

/// The usage line: kstar merge STUDY... [flags]
std::string usage_line(const Command& command, const std::string& path);

}  // namespace kstar
