#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/trace_report.h"

/// What `trace`, and `merge` of its parts, do in the same way.
namespace kstar {

Result<TraceOptions> trace_options(const Arguments& arguments);

/// A study for -o x.jsonl, with the text on standard output; otherwise as every command does.
Result<ExitCode> deliver_traces(const Arguments& arguments, Console& console,
                                const std::vector<TraceAnalysis>& analyses, TraceView view);

}  // namespace kstar
