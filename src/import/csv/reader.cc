#include "import/csv/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostCells = 10'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string cell_text(Cell cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text.push_back(cell[i]);
    if (cell.substr(i, 2) == "\"\"") ++i;
  }
  return text;
}

char separator_of(std::string_view line) {
  bool quoted = false, tab = false, semicolon = false, comma = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    if (c == '|') return '|';
    tab |= c == '\t';
    semicolon |= c == ';';
    comma |= c == ',';
  }
  if (tab) return '\t';
  if (semicolon) return ';';
  return comma ? ',' : kBlanks;
}

namespace {

std::ptrdiff_t count_unquoted(std::string_view line, char separator) {
  bool quoted = false;
  return std::count_if(line.begin(), line.end(), [&](char c) {
    if (c == '"') quoted = !quoted;
    return !quoted && c == separator;
  });
}

/// That of the header, unless the row below it has none and another one as often as the header:
/// "step,train|time".
char separator_of_records(std::string_view text) {
  const std::string_view first = next_line(text), second = next_line(text);
  const char header = separator_of(first);
  if (header == kBlanks || trim(second).empty() || count_unquoted(second, header) > 0) {
    return header;
  }
  for (const char other : {'\t', ';', ','}) {
    const auto count = count_unquoted(first, other);
    if (count > 0 && count == count_unquoted(second, other)) return other;
  }
  return header;
}

}  // namespace

bool is_ruled_line(std::string_view line) {
  line = trim(line);
  return line.size() >= 3 && line.find_first_not_of("-=+|: \t*_") == std::string_view::npos &&
         (line.find("--") != std::string_view::npos || line.find("==") != std::string_view::npos ||
          line.find("__") != std::string_view::npos || line.find("**") != std::string_view::npos ||
          line.find("|-") != std::string_view::npos || line.find("|:") != std::string_view::npos);
}

CsvReader::CsvReader(const Input& input) : input_(input) {
  if (input_.text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

bool CsvReader::skip_to_record() {
  const std::string_view text = input_.text;
  while (at_ < text.size()) {
    const std::size_t end = std::min(text.find('\n', at_), text.size());
    const std::string_view line = trim(text.substr(at_, end - at_));
    const bool comment = line.starts_with('#');
    if (!line.empty() && !comment && !is_ruled_line(line)) return true;
    if (comment) ++comments_;
    at_ = end + 1;
  }
  return false;
}

Result<Cell> CsvReader::quoted_cell() {
  const std::string_view text = input_.text;
  const std::size_t begin = ++at_;
  while (at_ < text.size() && (text[at_] != '"' || text.substr(at_, 2) == "\"\"")) {
    at_ += text[at_] == '"' ? 2U : 1U;
  }
  if (at_ >= text.size()) {
    return fail(error_at(input_, text.data() + begin - 1, "the quote is never closed"));
  }
  return text.substr(begin, at_++ - begin);
}

Result<Cell> CsvReader::next_cell(bool& last) {
  const std::string_view text = input_.text;
  const auto ends = [&](char c) {
    return c == '\n' || (separator_ == kBlanks ? is_blank(c) : c == separator_);
  };
  while (at_ < text.size() && is_blank(text[at_]) && text[at_] != separator_) ++at_;
  Cell cell;
  if (at_ < text.size() && text[at_] == '"') {
    auto quoted = quoted_cell();
    if (!quoted) return quoted;
    cell = trim(*quoted);
    const std::size_t behind = at_;
    while (at_ < text.size() && !ends(text[at_])) ++at_;
    if (!trim(text.substr(behind, at_ - behind)).empty()) {
      return fail(error_at(input_, text.data() + behind,
                           "unexpected text between a quote and the end of its cell"));
    }
  } else {
    const std::size_t begin = at_;
    while (at_ < text.size() && !ends(text[at_])) ++at_;
    cell = text.substr(begin, at_ - begin);
    cell = trim(cell).empty() ? cell.substr(0, 0) : trim(cell);
  }
  if (separator_ == kBlanks) {
    while (at_ < text.size() && (is_blank(text[at_]) || text[at_] == '\r')) ++at_;
    last = at_ >= text.size() || text[at_] == '\n';
  } else {
    last = at_ >= text.size() || text[at_] == '\n';
    if (!last) ++at_;
  }
  return cell;
}

Result<bool> CsvReader::next(std::vector<Cell>& cells) {
  cells.clear();
  if (!skip_to_record()) return false;
  record_ = input_.text.data() + at_;
  if (separator_ == '\0') separator_ = separator_of_records(input_.text.substr(at_));
  if (separator_ == kBlanks) at_ = input_.text.find_first_not_of(" \t", at_);
  for (bool last = false; !last;) {
    KSTAR_TRY(auto cell, next_cell(last));
    if (cells.size() == kMostCells) {
      return fail(error_at(input_, cell.data(),
                           fmt::format("the record has more than {} cells", kMostCells)));
    }
    cells.push_back(cell);
  }
  if (at_ < input_.text.size()) ++at_;  // the newline
  return true;
}

}  // namespace kstar
