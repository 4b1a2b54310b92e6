#pragma once

#include <string>

#include "kstar/result.h"
#include "kstar/study.h"

/// The lines of a study's file, without their ends. Each fails where the value could not be read
/// back; `where` is then the key.
namespace kstar {

Result<std::string> header_line(const StudyHeader& header);
Result<std::string> run_line(const Run& run);
Result<std::string> note_line(const Note& note);

}  // namespace kstar
