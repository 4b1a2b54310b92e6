#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kstar {

/// The pieces between separators; an empty text is one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string_view trim(std::string_view text);

/// The length of the well-formed UTF-8 sequence at the start of `text` (not empty), or 0.
std::size_t utf8_length(std::string_view text);

/// With small letters for A to Z, and nothing else changed: offsets stay as they are.
std::string lower_case(std::string_view text);

/// With a capital letter in front.
std::string capitalized(std::string text);

/// Text from outside, made safe for a terminal: control characters and bytes that are not UTF-8
/// become \xNN, a newline \n.
std::string printable(std::string_view text);

/// JSON in which such characters (C1 controls, what reorders text) are written as \uNNNN: the same
/// value, and safe to look at. What is not ASCII stands in strings alone.
std::string json_escaped(std::string json);

/// "1 run", "12 runs": a number and its noun, which takes an s for any number but 1.
std::string count_text(std::size_t count, std::string_view noun);

/// At most `columns` columns, the end replaced by "..." where it was cut.
std::string shorten(std::string_view text, std::size_t columns);

/// How many terminal columns a UTF-8 text takes (one per code point; the program prints no wide
/// ones).
std::size_t display_width(std::string_view text);

/// Lines of at most `columns` columns, broken at blanks; a longer word stays whole.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// The candidate nearest to `word` by edits, or empty when none is near enough to be meant.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Not the first byte of a character of UTF-8.
constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// 0 to 9, in any locale.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// As the text or the attribute of XML and HTML. What the medium cannot show at all must be gone.
std::string markup_escaped(std::string_view text);

}  // namespace kstar
