#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "kstar/machine.h"
#include "kstar/result.h"

/// `kstar roofline` and what other commands take from it.
namespace kstar {

Command roofline_measure_command();

/// --machine, --flops and --bytes, of commands that read a study.
std::vector<Flag> machine_flags();

/// The file of --machine; nothing where it is not given.
Result<std::optional<MachineCeilings>> machine_of(const Arguments& arguments);

/// --flops or --bytes: a number above 0, with a prefix (2.5G) or an exponent.
Result<std::optional<double>> amount_of(const Arguments& arguments, const char* flag);

/// A whole number of a flag, or `otherwise`.
Result<int> whole_of(const Arguments& arguments, const char* flag, int least, int most,
                     int otherwise);

}  // namespace kstar
