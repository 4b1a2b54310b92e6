#include "spec/toml_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::size_t kMostDots = 200;

/// toml++ counts characters, we count bytes.
std::size_t offset_of(std::string_view line, std::size_t column) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < column && at < line.size(); ++i) {
    do {
      ++at;
    } while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U);
  }
  return at;
}

/// How many dots stand outside of quotes and comments.
std::size_t dots_in(std::string_view line) {
  std::size_t dots = 0;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '#') {
      return dots;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      ++dots;
    }
  }
  return dots;
}

/// TOML allows no control character but the tab, and toml++ of Debian 12 aborts on some of them.
std::size_t control_character(std::string_view line) {
  const auto found = std::find_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
  return static_cast<std::size_t>(found - line.begin());
}

/// Where a string goes on behind a backslash that ends its line; none where it ends no line.
std::optional<std::size_t> after_line_end(std::string_view text, std::size_t backslash) {
  const std::size_t end = text.find_first_not_of(" \t\r", backslash + 1);
  if (end == text.npos || text[end] != '\n') return std::nullopt;
  return std::min(text.find_first_not_of(" \t\r\n", end), text.size());
}

/// The end of the string that starts at `at`: behind its quotes, or at the end of its line or file
/// where they are missing. A string of many lines may have two quotes of its own before those that
/// close it. Where a line of it ends in a backslash, toml++ looks at what follows as if it stood
/// outside: a character beyond ASCII there ends the string, too, so that it is refused.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool many_lines = text.substr(at, 3) == std::string(3, quote);
  const std::string_view close = text.substr(at, many_lines ? 3 : 1);
  at += close.size();
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      const auto next = many_lines ? after_line_end(text, at) : std::nullopt;
      at = next.value_or(at + 2);
      if (next && at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) return at;
    } else if (text.substr(at, close.size()) == close) {
      at += close.size();
      for (int own = 0; many_lines && own < 2 && at < text.size() && text[at] == quote; ++own) ++at;
      return at;
    } else if (text[at] == '\n' && !many_lines) {
      return at;
    } else {
      ++at;
    }
  }
  return std::min(at, text.size());
}

/// The first character beyond ASCII that is in no string and no comment. TOML has no place for it
/// (but for the mark at the start of a file), and toml++ of Debian 12 is not defined on some. A
/// quote inside a word begins no string.
std::size_t foreign_character(std::string_view text) {
  constexpr std::string_view kBeforeStrings = "=[,{.\n";
  char last = '\n';  // but for blanks
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) return at;
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if ((c == '"' || c == '\'') && kBeforeStrings.find(last) != kBeforeStrings.npos) {
      at = end_of_string(text, at);
    } else {
      ++at;
    }
    if (c != ' ' && c != '\t' && c != '\r') last = c;
  }
  return text.size();
}

}  // namespace

TomlSource::TomlSource(std::string_view text, std::string_view name)
    : text_(text), name_(name), lines_(split(text, '\n')) {}

Line TomlSource::line(std::size_t number) const {
  std::string_view text = lines_[number - 1];
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {name_, number, text};
}

Error TomlSource::error(const toml::source_position& at, std::string message,
                        std::string hint) const {
  const Line line = this->line(std::clamp<std::size_t>(at.line, 1, lines_.size()));
  return line_error(line, offset_of(line.text, at.column), std::move(message), std::move(hint));
}

/// Every dot of a key makes a table inside a table, and taking down a very deep tree would overflow
/// the stack. No key of ours has more than two.
Result<void> TomlSource::check_lines() const {
  for (std::size_t number = 1; number <= lines_.size(); ++number) {
    const Line line = this->line(number);
    if (const std::size_t at = control_character(line.text); at < line.text.size()) {
      return fail(line_error(line, at, "expected no control characters"));
    }
    if (dots_in(line.text) > kMostDots) {
      return fail(line_error(line, 0, "expected keys with at most two parts"));
    }
  }
  return {};
}

Result<void> TomlSource::check_characters() const {
  const std::size_t found = foreign_character(text_);
  if (found == text_.size()) return {};
  const std::string_view before = text_.substr(0, found);
  const auto number = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n') + 1;  // 0 in the first line
  return fail(line_error(line(number), found - start,
                         "expected ASCII outside of quotes and comments",
                         "quote a key with other characters"));
}

Result<toml::table> TomlSource::parse() const {
  if (text_.size() > kLargestFile) {
    return fail({.where = printable(name_), .message = "expected a TOML file of at most 1 MiB"});
  }
  KSTAR_CHECK(check_lines());
  KSTAR_CHECK(check_characters());
  toml::parse_result parsed = toml::parse(text_, name_);
  if (!parsed) {
    const toml::parse_error& problem = parsed.error();
    return fail(error(problem.source().begin, printable(problem.description())));
  }
  return std::move(parsed).table();
}

std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return shortest(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_array()) return node.as_array()->empty() ? "[]" : "[...]";
  return node.is_table() ? "{...}" : "a date or a time";
}

}  // namespace kstar
