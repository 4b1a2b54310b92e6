#include "base/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=./,:@%{}").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

/// Appends what stands inside the quotes that open at `at`, and returns where they close.
std::size_t read_quoted(std::string_view text, std::size_t at, std::string& word) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    const bool escaped = quote == '"' && text[at] == '\\' && at + 1 < text.size() &&
                         (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escaped) ++at;
    word += text[at];
  }
  return at;
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text, std::string_view where) {
  std::vector<std::string> words;
  bool open = false;  // inside a word, which may be empty quotes
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_blank(c)) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\'' || c == '"') {
      at = read_quoted(text, at, words.back());
      if (at == text.size()) {
        return fail(expected(where, fmt::format("a closing {}", c), text));
      }
    } else {
      if (c == '\\' && ++at == text.size()) {
        return fail(expected(where, "a character after the backslash", text));
      }
      words.back() += text[at];
    }
  }
  return words;
}

std::string join_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += quoted(word);
  }
  return text;
}

}  // namespace kstar
