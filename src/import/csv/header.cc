#include "import/csv/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/csv/number.h"

namespace kstar {

namespace {

constexpr std::size_t kLongestName = 1000;

Result<std::vector<std::string>> names_in(const Input& input, const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell cell : cells) {
    if (cell.size() > kLongestName) {
      return fail(error_at(input, cell.data(),
                           fmt::format("the name of a column is longer than {} bytes: is this a "
                                       "table?",
                                       kLongestName)));
    }
    names.push_back(cell_text(cell));
  }
  return names;
}

/// The cells of a line behind its #, if they may name `count` columns.
std::vector<Cell> names_behind_hash(const Input& input, std::string_view line, char separator,
                                    std::size_t count) {
  while (line.starts_with('#')) line = trim(line.substr(1));
  CsvReader reader({.text = line, .name = input.name});
  reader.separate_at(separator);
  std::vector<Cell> cells;
  const auto read = reader.next(cells);
  if (!read || !*read) return {};
  while (cells.size() > count && cells.back().empty()) cells.pop_back();
  const bool known = std::any_of(cells.begin(), cells.end(), [](Cell cell) {
    return cell.size() <= kLongestName && column_named(cell_text(cell)).kind != ColumnKind::kOther;
  });
  // "# threads: 4, seed = 1" tells of the run.
  const bool tells = std::any_of(cells.begin(), cells.end(), [](Cell cell) {
    return is_number(cell) || cell.find_first_of(":=") != std::string_view::npos;
  });
  return cells.size() == count && known && !tells ? cells : std::vector<Cell>();
}

/// The last comment before the first row that may be its header.
std::vector<Cell> header_in_comment(const Input& input, const char* row, char separator,
                                    std::size_t count) {
  std::string_view before = input.text.substr(0, static_cast<std::size_t>(row - input.text.data()));
  while (!before.empty()) {
    const std::size_t end = before.find_last_not_of("\r\n");
    if (end == std::string_view::npos) break;
    const std::size_t newline = before.find_last_of('\n', end);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    std::string_view line = before.substr(begin, end + 1 - begin);
    before = before.substr(0, begin);
    if (begin == 0) line.remove_prefix(std::min(line.find('#'), line.size()));
    auto cells = names_behind_hash(input, trim(line), separator, count);
    if (!cells.empty()) return cells;
  }
  return {};
}

}  // namespace

bool CsvHeader::stands_in(const std::vector<Cell>& row) const {
  if (!given || row.size() < names.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i < names.size() ? cell_text(row[i]) != names[i] : !row[i].empty()) return false;
  }
  return true;
}

Result<CsvHeader> read_header(const Input& input, CsvReader& reader) {
  CsvReader ahead = reader;
  std::vector<Cell> cells;
  KSTAR_TRY(const auto more, ahead.next(cells));
  if (!more) return fail({.where = printable(input.name), .message = "the table has no rows"});
  if (std::any_of(cells.begin(), cells.end(), is_number)) {
    const auto behind = header_in_comment(input, ahead.record(), ahead.separator(), cells.size());
    if (!behind.empty()) {
      reader.separate_at(ahead.separator());
      KSTAR_TRY(auto names, names_in(input, behind));
      return CsvHeader{.names = std::move(names), .in_comment = true};
    }
  }
  if (!std::all_of(cells.begin(), cells.end(), is_number)) {
    reader = ahead;
    KSTAR_TRY(auto names, names_in(input, cells));
    return CsvHeader{.names = std::move(names)};
  }
  reader.separate_at(ahead.separator());
  if (cells.size() != 2) {
    return fail(error_at(
        input, cells[0].data(),
        fmt::format("expected a header, or two columns (workers and seconds), got {} columns",
                    cells.size()),
        "add a header line: K,time_s or workers,run_1,run_2"));
  }
  return CsvHeader{.names = {"K", "time_s"}, .given = false};
}

}  // namespace kstar
