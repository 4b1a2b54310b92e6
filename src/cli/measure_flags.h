#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "kstar/measure_spec.h"

/// The flags of `kstar measure`, made from the table in kstar/spec_key.h.
namespace kstar {

/// Besides what a spec says: --spec, --print-spec, --dry-run, --times, --resume, --force.
std::vector<Flag> measure_flags();

/// The job's command, behind --.
Positional measure_command_words();

/// The file of --spec first, then what the flags say, then the command behind --. It is not
/// checked as a whole: check_spec() does that.
Result<MeasureSpec> measure_spec_of(const Arguments& arguments);

}  // namespace kstar
