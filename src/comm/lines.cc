#include "comm/lines.h"

#include <algorithm>

#include "base/text.h"

namespace kstar::comm {

namespace {

constexpr std::size_t kLongestMark = 80;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// "Thu Jul 18 15:41:05 2024<stdout>:" at the start, as of mpirun --timestamp-output.
std::size_t stamp_length(std::string_view text) {
  constexpr std::size_t kWeekday = 3, kStamp = 24;  // as asctime() writes it
  if (text.size() < kStamp || text[kWeekday] != ' ' || text[kStamp - 5] != ' ') return 0;
  const std::string_view behind = text.substr(kStamp);
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    if (behind.starts_with(stream)) return kStamp + stream.size();
  }
  return 0;
}

/// "[1,0]<stdout>:" at the start: its length, or 0.
std::size_t tag_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != '[') return stamp_length(text);
  const std::size_t close = text.substr(0, kLongestMark).find("]<std");
  if (close == text.npos) return 0;
  const std::size_t colon = text.substr(0, kLongestMark + 16).find(">:", close);
  return colon == text.npos ? 0 : colon + 2;
}

/// 2024-05-02T19:06:42.123Z, 2024-05-02 or 19:06:42.123: digits and their signs alone.
bool is_clock(std::string_view word) {
  if (word.size() < 8 || !is_digit(word[0]) || !is_digit(word[1])) return false;
  const bool date = word.size() >= 10 && word[4] == '-' && word[7] == '-';
  const bool time = word[2] == ':' && word[5] == ':';
  return date || time;
}

/// The length of one mark in front, or 0.
std::size_t mark_length(std::string_view text) {
  if (const std::size_t tag = tag_length(text); tag > 0) return tag;
  if (text.starts_with('>')) {  // a mail that is answered
    return std::min(text.find_first_not_of("> "), text.size());
  }
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  if (word.size() < 2 || end == text.size()) return 0;
  if (is_clock(word)) return end;
  if (word.back() == ':') {  // "3:", "node7:", not "Total:" of prose, which no table follows
    return word.find_first_of("#=") == word.npos ? end : 0;
  }
  if (word[0] == '[' && word.back() == ']') return end;
  return 0;
}

}  // namespace

void split_blanks(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
}

std::string_view bare_line(std::string_view line, std::string& buffer) {
  const std::size_t first = line.find("]<std");
  if (first != line.npos && line.find("]<std", first + 1) != line.npos) {
    buffer.clear();
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t length = line[at] == '[' ? tag_length(line.substr(at)) : 0;
      buffer += length > 0 ? ' ' : line[at];
      at += std::max<std::size_t>(length, 1);
    }
    line = buffer;
  }
  constexpr int kMostMarks = 4;
  line = trim(line);
  for (int i = 0; i < kMostMarks; ++i) {
    const std::size_t length = mark_length(line);
    if (length == 0) break;
    line = trim(line.substr(length));
  }
  if (line.starts_with("\\#")) line.remove_prefix(1);  // as Markdown escapes it
  return line;
}

}  // namespace kstar::comm
