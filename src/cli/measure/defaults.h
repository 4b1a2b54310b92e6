#pragma once

#include <string>
#include <vector>

#include "kstar/measure_spec.h"
#include "kstar/result.h"

/// What `kstar measure` takes where the command line and the spec do not say it.
namespace kstar {

/// The worker counts, unless there are some or there is no command: in words, how they were chosen.
Result<std::string> fill_workers(MeasureSpec& spec);

/// The file, unless there is one: prog-1.kstar.jsonl, the next free number. A study that goes on is
/// the one with the highest number. In words, which it is.
Result<std::string> fill_output(MeasureSpec& spec, bool resumes);

}  // namespace kstar
