#pragma once

#include <span>

#include "base/embedded.h"

namespace kstar {

/// The texts of src/cli/topics, in the order of CMakeLists.txt.
std::span<const EmbeddedText> topics();

}  // namespace kstar
