#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/spec_key.h"

namespace kstar {

/// `kstar measure` of this spec, with the flags of `arguments` for all that a spec does not say.
Result<ExitCode> measure_study(const Arguments& arguments, Console& console, SpecFile file);

}  // namespace kstar
