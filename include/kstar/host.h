#pragma once

#include <string>
#include <string_view>

#include "kstar/export.h"
#include "kstar/study.h"

/// What a Study says about the machine it was measured on.
namespace kstar {

/// This machine and the allowed variables of this process. The binding is the launcher's to say,
/// the versions of MPI and CUDA libraries theirs that use them. /proc, /sys and /etc are read below
/// `root`.
KSTAR_EXPORT Environment this_environment(const std::string& root = "/");

/// Whether a variable of the environment may be recorded: it is known to change how fast programs
/// run, and its name does not sound like a secret's.
KSTAR_EXPORT bool is_recorded_variable(std::string_view name);

/// Whether it sounds like that of a secret: TF_VAR_db_password.
KSTAR_EXPORT bool looks_like_secret(std::string_view name);

}  // namespace kstar
