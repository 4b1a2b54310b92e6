#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kstar {

/// The SHA-256 of FIPS 180-4: a page names the scripts that it trusts by it.
std::array<std::uint8_t, 32> sha256(std::string_view text);

}  // namespace kstar
