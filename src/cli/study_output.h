#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/study.h"

namespace kstar {

/// --force: the file of -o may be replaced.
Flag force_flag();

/// A study that only --force would replace.
Error already_there(const std::string& path);

/// Puts a Study where the user asked for it: the file of -o, or standard output. A file that is
/// there already is only replaced with --force: a study may be hours of measuring.
Result<void> deliver_study(const Arguments& arguments, Console& console, const Study& study);

}  // namespace kstar
