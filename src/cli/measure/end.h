#pragma once

#include <string>

#include "cli/arguments.h"
#include "kstar/measure.h"

/// What is said when measuring ended before every K was as precise as asked.
namespace kstar {

/// Why it ended, and the precision that was reached; empty where all is as asked.
std::string end_words(const MeasureSpec& spec, const MeasureResult& result);

/// The command line that goes on with the study: this one with --resume, and with a larger budget
/// or more runs where those ended it. Empty where nothing is left to do.
std::string next_command(const MeasureSpec& spec, const MeasureResult& result,
                         const Arguments& arguments);

}  // namespace kstar
