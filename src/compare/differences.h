#pragma once

#include <string>
#include <vector>

#include "kstar/study.h"

namespace kstar::comparing {

/// What differs between two studies besides their times.
struct Differences {
  std::vector<Note> fatal;  ///< a ratio of the two would be one of other things
  std::vector<Note> notes;  ///< worth knowing, and what is not known
};

Note note(Severity severity, std::string what, std::string where, std::string text);

/// Why something cannot be checked.
std::string unknown_text(const char* what, bool before, bool after);

}  // namespace kstar::comparing
