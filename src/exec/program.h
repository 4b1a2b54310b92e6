#pragma once

#include <string>

/// Programs before they start: where they are, and whether they can be executed.
namespace kstar {

/// The file that execve(2) would take: `name` itself where it has a slash, else what the folders of
/// `path` hold (null: the usual ones). One that may not be executed is better than none; empty
/// when there is nothing.
std::string find_program(const std::string& name, const char* path);

/// 0, or the errno value for which execve(2) would refuse `file`, as far as can be seen without
/// starting it. `folder` is where a relative one lies; empty: here.
int program_problem(const std::string& file, const std::string& folder);

}  // namespace kstar
