#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

/// Programs before they start: where they are, whether they can be executed, what they say of
/// themselves.
namespace kstar {

/// The file that execve(2) would take: `name` itself where it has a slash, else what the folders of
/// `path` hold (null: the usual ones). One that may not be executed is better than none; empty
/// when there is nothing.
std::string find_program(const std::string& name, const char* path);

/// 0, or the errno value for which execve(2) would refuse `file`, as far as can be seen without
/// starting it. `folder` is where a relative one lies; empty: here.
int program_problem(const std::string& file, const std::string& folder);

/// The file that would be started, as execvp finds it; empty when there is none.
std::string find_program(const std::string& name);

/// False once ask_no_programs() was called.
bool may_ask_programs();

/// What a program says about itself: its output, run once in the life of this process. Empty when
/// it cannot be run, may not be asked, fails, or takes longer than ten seconds.
std::string ask_program(const std::vector<std::string>& command);

}  // namespace kstar
