#include "import/input.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Line line_at(const Input& input, const char* at) {
  const auto offset = std::min(static_cast<std::size_t>(at - input.text.data()), input.text.size());
  const std::string_view before = input.text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(input.text.find('\n', begin), input.text.size());
  std::string_view line = input.text.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return {input.name, input.first_line + lines, line};
}

Error error_at(const Input& input, const char* at, std::string message, std::string hint) {
  const Line line = line_at(input, at);
  return line_error(line, static_cast<std::size_t>(at - line.text.data()), std::move(message),
                    std::move(hint));
}

Error expected_at(const Input& input, std::string_view value, std::string_view what,
                  std::string hint) {
  constexpr std::size_t kShown = 60;
  return error_at(input, value.data(),
                  fmt::format("expected {}, got '{}'", what,
                              shorten(printable(value.substr(0, 4 * kShown)), kShown)),
                  std::move(hint));
}

std::string shell_word(std::string_view text) {
  if (text.find('\'') == text.npos) return fmt::format("'{}'", text);
  // Within double quotes these would mean something.
  if (text.find_first_of("\"$`\\!") == text.npos) return fmt::format("\"{}\"", text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           std::string_view("_-./+:,@%").find(c) != std::string_view::npos;
  });
}

std::string place_of(const Input& input, const char* at) {
  return fmt::format("{}:{}", printable(input.name), line_at(input, at).number);
}

Study start_study(std::string_view name) {
  Study study;
  study.name = name;
  study.header.writer = "kstar " KSTAR_VERSION;
  study.header.source.kind = SourceKind::kImported;
  study.header.source.files = {printable(name)};
  const std::size_t slash = name.rfind('/');
  study.header.title = fmt::format(
      "imported: {}", printable(name.substr(slash == std::string_view::npos ? 0 : slash + 1)));
  return study;
}

void add_change(Study& study, ChangedSetting change, bool many) {
  NoteValues values{{"setting", change.name}, {"values", change.values}};
  if (change.count) values["count"] = *change.count;
  if (many) values["many"] = 1;
  add_note(study, Severity::kWarning, "changes-with-k", {}, std::move(values));
  study.header.changes.push_back(std::move(change));
}

void add_note(Study& study, Severity severity, std::string_view what, std::string where,
              NoteValues values) {
  study.notes.push_back({.severity = severity,
                         .what = std::string(what),
                         .where = std::move(where),
                         .values = std::move(values)});
}

}  // namespace kstar
