#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "kstar/import.h"
#include "kstar/law.h"

/// What commands that read a study, or anything that kstar can import, have in common.
namespace kstar {

/// --data, of commands that take numbers on the command line as well.
Flag pairs_flag();

/// --threshold and --confidence, of commands that analyse.
Flag threshold_flag();
Flag confidence_flag();

/// The parameters of a law.
std::vector<Flag> parameter_flags(const Law& law);

/// --ignore, which may be given again.
Flag ignore_flag();

/// --regime, --select, --k-column, --time-column, --rate-column and --ignore.
/// Of tables whose header is not as it should be.
std::vector<Flag> table_flags();

std::vector<Flag> data_flags();

/// These behind a command's own flags, and where the output goes.
std::vector<Flag> with_data_flags(std::vector<Flag> flags);

/// What these say.
Result<ImportOptions> import_options(const Arguments& arguments);

/// Reads a file; - is standard input.
Result<Study> read_data(const std::string& path, const ImportOptions& options);

/// Numbers on the command line, of --data. What is about a file cannot be combined with them.
Result<Study> read_pairs(const Arguments& arguments);

/// A heading: the first file, and the study's own title where that says more.
std::string title_of(const Study& study, const Arguments& arguments);

/// --confidence: above 0, below 1.
Result<double> confidence_of(const Arguments& arguments, double otherwise);

}  // namespace kstar
