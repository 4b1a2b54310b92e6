#include "study/value_reader.h"

#include <fmt/format.h>

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

/// is_utf8() says whether a text is, not where it stops to be: halve until it shows.
std::size_t valid_utf8_length(std::string_view text) {
  if (is_utf8(text)) return text.size();
  std::size_t good = 0, bad = text.size();
  while (bad - good > 4) {
    const std::size_t middle = character_start(text, good + (bad - good) / 2);
    if (middle <= good) break;
    (is_utf8(text.substr(good, middle - good)) ? good : bad) = middle;
  }
  while (good < bad && static_cast<unsigned char>(text[good]) < 0x80) ++good;
  return good;
}

/// "expected <what>, got <the JSON value that starts at `offset`>".
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

/// The first byte that no JSON text may hold where it stands: not UTF-8, a bare control character
/// in a string, or the quote of a string without an end. The line's length when there is none.
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

}  // namespace

bool ValueReader::start(const Line& line) {
  line_ = line;
  error_.reset();
  const JsonFault fault = json_.start(line.text);
  if (!fault) return true;
  // Found before there is a place to point at: look for it.
  error_ = line_error(line_, first_bad_byte(line.text), fault.text());
  return false;
}

bool ValueReader::object(JsonObject& out) {
  const JsonFault fault = json_.get(out);
  if (fault.kind == JsonFault::kWrongType) {
    error_ = value_error(line_, line_.text.find_first_not_of(" \t\r"), "a JSON object");
    return false;
  }
  return !fault || broken(fault);
}

bool ValueReader::finish() {
  const char* at = nullptr;
  if (json_.get_location(at).kind == JsonFault::kBehindEnd) return true;
  return refuse(at, "is not JSON: there is text after the object", "every record is one line");
}

bool ValueReader::whole(JsonValue value, std::uint64_t& out) {
  return !value.get(out) || expected(value, "a whole number from 0 to 18446744073709551615");
}

bool ValueReader::boolean(JsonValue value, bool& out) {
  return !value.get(out) || expected(value, "true or false");
}

bool ValueReader::text(JsonValue value, std::string& out) {
  std::string_view view;
  if (value.get(view)) return expected(value, "a text");
  out = view;
  return true;
}

bool ValueReader::text(JsonValue value, SharedText& out) {
  std::string_view view;
  if (value.get(view)) return expected(value, "a text");
  const auto known = std::find(last_texts_.begin(), last_texts_.end(), view);
  if (known != last_texts_.end()) {
    out = *known;
  } else {
    out = last_texts_[next_text_++ % last_texts_.size()] = SharedText(view);
  }
  return true;
}

bool ValueReader::array(JsonValue value, JsonArray& out) {
  const JsonFault fault = value.get(out);
  if (fault.kind == JsonFault::kWrongType) return expected(value, "an array");
  return !fault || broken(fault);
}

bool ValueReader::object(JsonValue value, JsonObject& out) {
  const JsonFault fault = value.get(out);
  if (fault.kind == JsonFault::kWrongType) return expected(value, "an object");
  return !fault || broken(fault);
}

bool ValueReader::is_null(JsonValue value) {
  bool null = false;
  return !value.get_null(null) && null;
}

bool ValueReader::keep(const JsonMember& member, std::string& extra) {
  std::string_view raw;
  if (const JsonFault fault = member.value.get_text(raw)) return broken(fault);
  raw = trim(raw);
  if (!check_json(raw)) return false;
  if (extra.empty()) {
    extra.push_back('{');
  } else {
    extra.back() = ',';
  }
  extra.append("\"").append(member.raw_key).append("\":").append(raw).append("}");
  return true;
}

bool ValueReader::check_all() {
  return check_json(line_.text);
}

bool ValueReader::check_json(std::string_view text) {
  const JsonFault fault = json_.check(text);
  if (fault.kind == JsonFault::kTooDeep) {
    return refuse(text.data(), fmt::format("is nested deeper than {}", JsonDocument::kMostNested));
  }
  return !fault || refuse(text.data(), fault.text());
}

bool ValueReader::expected(JsonValue value, std::string_view what) {
  error_ = value_error(line_, offset_of(value.token().data()), what);
  return false;
}

bool ValueReader::refuse(const char* at, std::string message, std::string hint) {
  error_ = line_error(line_, offset_of(at), std::move(message), std::move(hint));
  return false;
}

bool ValueReader::broken(JsonFault fault) {
  const char* at = nullptr;
  if (json_.get_location(at)) at = line_.text.data() + line_.text.size();
  return refuse(at, fault.text());
}

bool ValueReader::refuse_line(const Line& line, std::string message, std::string hint) {
  error_ = line_error(line, 0, std::move(message), std::move(hint));
  return false;
}

std::size_t ValueReader::offset_of(const char* at) const {
  return std::min(static_cast<std::size_t>(at - line_.text.data()), line_.text.size());
}

}  // namespace kstar
