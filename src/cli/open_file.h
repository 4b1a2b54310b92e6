#pragma once

#include <string>

#include "kstar/result.h"

namespace kstar {

/// Becomes the desktop's program that shows a file: nothing is left to do then, and no process is
/// started. Comes back only where there is none.
Error become_viewer(const std::string& path);

}  // namespace kstar
