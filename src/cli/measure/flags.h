#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "kstar/spec_key.h"

/// The flags of `kstar measure`, made from the table in kstar/spec_key.h.
namespace kstar {

/// Besides what a spec says: --spec, --print-spec, --dry-run, --times, --resume, --force, --live.
std::vector<Flag> measure_flags();

/// The job's command, behind --.
Positional measure_command_words();

/// Flags of which one undoes the other, or needs another.
Result<void> check_measure_flags(const Arguments& arguments);

/// Whether the study can be written where -o says, and replaces nothing that is read or kept.
Result<void> check_measure_files(const MeasureSpec& spec, const Arguments& arguments);

/// The file of --spec first, then what the flags say, then the command behind --. It is not
/// checked as a whole: check_spec() does that. The places are those of what no flag overrides.
Result<SpecFile> measure_spec_of(const Arguments& arguments);

}  // namespace kstar
