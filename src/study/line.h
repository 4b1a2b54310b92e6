#pragma once

#include <cstddef>
#include <string_view>

#include "base/source_line.h"
#include "kstar/result.h"

/// What is wrong with a line of JSON, and where.
namespace kstar {

/// "expected <what>, got <the JSON value that starts at `offset`>".
Error value_error(const Line& line, std::size_t offset, std::string_view what);

/// The first byte that no JSON text may hold where it stands: not UTF-8, a bare control character
/// in a string, or the quote of a string without an end. The line's length when there is none.
std::size_t first_bad_byte(std::string_view text);

}  // namespace kstar
