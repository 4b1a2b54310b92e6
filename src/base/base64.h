#pragma once

#include <optional>
#include <string>
#include <string_view>

/// RFC 4648: bytes as text that every other format takes as it is.
namespace kstar {

std::string to_base64(std::string_view bytes);

/// None where it is not base64. Blanks and ends of lines are passed over.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace kstar
