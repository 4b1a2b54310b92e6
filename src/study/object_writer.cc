#include "study/object_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_document.h"
#include "base/text.h"

namespace kstar {

namespace {

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
}

}  // namespace

void JsonText::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void JsonText::key(std::string_view name) {
  separate();
  text_ += '"';
  text_.append(name).append("\":");
}

void JsonText::any_key(std::string_view name) {
  separate();
  string(name);
  text_ += ':';
}

void JsonText::string(std::string_view value) {
  if (is_plain(value)) {
    text_.append("\"").append(value).append("\"");
    return;
  }
  // A program's output may hold any bytes; those that are not UTF-8 become U+FFFD.
  text_ += json_string(value);
}

void JsonText::number(double value) {
  fmt::format_to(std::back_inserter(text_), "{}", value);
}

void JsonText::members_of(std::string_view object) {
  const std::string_view inner = trim(object.substr(1, object.size() - 2));
  if (inner.empty()) return;
  separate();
  text_ += inner;
}

Result<std::string> JsonText::take() {
  if (error_) return fail(std::move(*error_));
  return json_escaped(std::move(text_));
}

std::string one_line(std::string_view json) {
  // Outside of strings a line break is only layout, and inside one JSON does not allow it. A
  // carriage return alone ends no record: it stays, so that what was read goes back as it stood.
  std::string line(trim(json));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace kstar
