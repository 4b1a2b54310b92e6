#pragma once

#include <string>

#include "cli/command.h"

/// Everything that is written from the command table.
namespace kstar {

/// The help of one command, for a screen of this width.
std::string help_text(const Command& command, const std::string& path, int screen_width);

/// The usage line: kstar merge STUDY... [flags]
std::string usage_line(const Command& command, const std::string& path);

/// A completion script for "bash", "zsh" or "fish".
std::string completion_script(const Command& program, const std::string& shell);

/// The manual page, in roff.
std::string manual_page(const Command& program, const std::string& version);

}  // namespace kstar
