#include "base/source_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

namespace {

constexpr std::size_t kBytesBeforeCaret = 50;
constexpr std::size_t kBytesShown = 76;

std::string excerpt_of(std::string_view text, std::size_t offset, bool begins_before) {
  const std::size_t begin =
      offset > kBytesBeforeCaret ? character_start(text, offset - kBytesBeforeCaret) : 0;
  const std::size_t end = character_start(text, std::min(text.size(), begin + kBytesShown));
  std::string before = begin > 0 || begins_before ? "..." : "";
  before += printable(text.substr(begin, offset - begin));
  std::string shown = before + printable(text.substr(offset, std::max(end, offset) - offset));
  if (end < text.size()) shown += "...";
  return shown + "\n" + std::string(display_width(before), ' ') + "^";
}

}  // namespace

std::size_t character_start(std::string_view text, std::size_t offset) {
  std::size_t start = offset;
  while (start > 0 && start < text.size() && offset - start < 3 && is_continuation(text[start])) {
    --start;
  }
  return start;
}

Error line_error(const Line& line, std::size_t offset, std::string message, std::string hint) {
  const std::size_t at = std::min(offset, line.text.size());
  return {
      .where = fmt::format("{}:{}:{}", printable(line.file), line.number, line.skipped + at + 1),
      .message = std::move(message),
      .hint = std::move(hint),
      .excerpt = excerpt_of(line.text, at, line.skipped > 0)};
}

Error expected_at(std::string_view where, std::string_view text, std::size_t offset,
                  std::string_view what, std::string_view value, std::string_view hint) {
  Error error = expected(where, what, value, hint);
  if (value.empty()) error.message = fmt::format("expected {}, got nothing", what);
  if (!text.empty()) {
    error.excerpt = line_error({.file = where, .number = 1, .text = text}, offset, "").excerpt;
  }
  error.code = ExitCode::kUsage;
  return error;
}

std::optional<Error> LineWatch::see(std::string_view piece) {
  while (!piece.empty()) {
    if (length_ + piece.size() <= longest_) {  // no line of it can be too long
      const std::size_t last = piece.rfind('\n');
      number_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
      length_ = last == piece.npos ? length_ + piece.size() : piece.size() - last - 1;
      break;
    }
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    if (length_ + end > longest_) {
      const std::size_t at = longest_ - length_;
      const Line line{path_, number_, piece.substr(0, end), length_};
      return line_error(line, at,
                        fmt::format("the line is longer than {} MiB, the limit", longest_ >> 20U));
    }
    length_ += end;
    if (end == piece.size()) break;
    piece.remove_prefix(end + 1);
    ++number_;
    length_ = 0;
  }
  return {};
}

}  // namespace kstar
