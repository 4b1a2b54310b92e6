#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kstar/result.h"

/// Where something stands in a study's text, for messages that show it.
namespace kstar {

/// One line of a file, without its end.
struct Line {
  std::string_view file;
  std::size_t number = 0;  ///< from 1
  std::string_view text;
};

/// An error at byte `offset` of the line: file:line:column, and the line with a caret. Of a long
/// line the part around the caret is shown.
Error line_error(const Line& line, std::size_t offset, std::string message, std::string hint = {});

/// "expected <what>, got <the JSON value that starts at `offset`>".
Error value_error(const Line& line, std::size_t offset, std::string_view what);

/// The first byte that no JSON text may hold where it stands: not UTF-8, a bare control character
/// in a string, or the quote of a string without an end. The line's length when there is none.
std::size_t first_bad_byte(std::string_view text);

}  // namespace kstar
