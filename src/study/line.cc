#include "study/line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

namespace {

/// The end of the string that opens at `offset`, behind its closing quote.
std::size_t string_end(std::string_view text, std::size_t offset) {
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

std::string_view scalar_at(std::string_view text, std::size_t offset) {
  if (text[offset] == '"') return text.substr(offset, string_end(text, offset) - offset);
  const std::size_t end = text.find_first_of(",]} \t\r", offset);
  return text.substr(offset, std::max(end, offset + 1) - offset);
}

/// simdjson says whether a text is UTF-8, not where it stops to be: halve until it shows.
std::size_t valid_utf8_length(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return text.size();
  std::size_t good = 0, bad = text.size();
  while (bad - good > 4) {
    const std::size_t middle = character_start(text, good + (bad - good) / 2);
    if (middle <= good) break;
    (simdjson::validate_utf8(text.data() + good, middle - good) ? good : bad) = middle;
  }
  while (good < bad && static_cast<unsigned char>(text[good]) < 0x80) ++good;
  return good;
}

}  // namespace

Error value_error(const Line& line, std::size_t offset, std::string_view what) {
  if (offset >= line.text.size()) {
    return line_error(line, offset, fmt::format("expected {}, got the end of the line", what));
  }
  const char first = line.text[offset];
  if (first == '{' || first == '[') {
    return line_error(
        line, offset,
        fmt::format("expected {}, got {}", what, first == '{' ? "an object" : "an array"));
  }
  return line_error(line, offset, expected({}, what, scalar_at(line.text, offset)).message);
}

std::size_t first_bad_byte(std::string_view text) {
  const std::size_t valid = valid_utf8_length(text);
  std::size_t opened = text.size();
  bool inside = false;
  for (std::size_t i = 0; i < valid; ++i) {
    if (inside && static_cast<unsigned char>(text[i]) < 0x20) return i;
    if (inside && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      inside = !inside;
      opened = i;
    }
  }
  if (valid < text.size()) return valid;
  return inside ? opened : text.size();
}

}  // namespace kstar
