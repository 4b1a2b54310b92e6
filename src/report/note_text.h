#pragma once

#include <string>

#include "kstar/study.h"

namespace kstar {

/// "warning: K = 8: the text", without what is not there.
std::string note_text(const Note& note);

}  // namespace kstar
