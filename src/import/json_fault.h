#pragma once

#include <cstddef>
#include <string_view>

namespace kstar {

/// Where a text stops being JSON: the offset of the first byte that does not fit, or its last.
/// Asked only of a text that a faster reader has refused as a whole, without saying where.
std::size_t json_fault(std::string_view text);

}  // namespace kstar
