#pragma once

// What kstar-train uses of tl::expected, from <expected> (C++23): see build-alone.

#include <expected>

namespace tl {

using std::expected;
using std::unexpected;

}  // namespace tl
