#include "import/csv/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/csv/number.h"
#include "import/csv/roles.h"
#include "import/offers.h"

namespace kstar {

namespace {

constexpr std::size_t kLongestName = 1000;

using Cells = std::vector<Cell>;

Result<std::vector<std::string>> names_in(const Input& input, const Cells& cells) {
  std::vector<std::string> names;
  for (const Cell cell : cells) {
    if (cell.size() > kLongestName) {
      return fail(error_at(input, cell.data(),
                           fmt::format("the name of a column is longer than {} bytes: is this a "
                                       "table?",
                                       kLongestName)));
    }
    std::string& name = names.emplace_back(cell_text(cell));
    for (const std::string_view line_break : {"<br>", "<br/>", "<br />"}) {
      for (std::size_t at = 0; (at = name.find(line_break)) != std::string::npos;) {
        name.replace(at, line_break.size(), " ");
      }
    }
  }
  return names;
}

bool is_known_name(std::string_view name) {
  return name.size() <= kLongestName && column_named(name).kind != ColumnKind::kOther;
}

bool any_number(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), is_number);
}

/// At runs of two blanks and more, or of any number.
Cells split_blanks(std::string_view line, std::size_t least) {
  Cells cells;
  std::size_t begin = std::string_view::npos, end = 0, blanks = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool blank = line[i] == ' ' || line[i] == '\t' || line[i] == '\r';
    if (blank) {
      blanks += line[i] == '\t' ? least : 1;
      continue;
    }
    if (begin != std::string_view::npos && blanks >= least) {
      cells.push_back(line.substr(begin, end - begin));
      begin = std::string_view::npos;
    }
    if (begin == std::string_view::npos) begin = i;
    end = i + 1;
    blanks = 0;
  }
  if (begin != std::string_view::npos) cells.push_back(line.substr(begin, end - begin));
  return cells;
}

Cells split_at(std::string_view line, char separator) {
  Cells cells;
  for (const std::string_view piece : split(line, separator)) {
    Cell cell = trim(piece);
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
  }
  return cells;
}

/// "Time (s)": what stands in brackets belongs to the word before it.
Cells join_brackets(const Cells& words) {
  Cells joined;
  for (const Cell word : words) {
    const bool opens = word.starts_with('(') || word.starts_with('[');
    if (opens && !joined.empty()) {
      const char* const begin = joined.back().data();
      joined.back() = {begin, static_cast<std::size_t>(word.data() + word.size() - begin)};
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

/// The names of `count` columns in a line, by any of the ways in which people line them up; none
/// where no way gives so many.
Cells header_cells(std::string_view line, std::size_t count) {
  const bool hashed = trim(line).starts_with('#');
  std::string_view bare = trim(line);
  // "#,threads,time": a column that numbers the rows.
  const bool named = bare.find_first_of(",;\t|") == 1;
  while (bare.starts_with('#') && !named) bare = trim(bare.substr(1));
  if (hashed && std::count(line.begin(), line.end(), '#') == static_cast<std::ptrdiff_t>(count)) {
    Cells names = split_at(trim(line).substr(1), '#');
    if (names.size() == count && count > 1) return names;
  }
  for (const Cells& names :
       {split_at(bare, ','), split_blanks(bare, 2), split_at(bare, '\t'), split_at(bare, '|'),
        split_at(bare, ';'), split_blanks(bare, 1), join_brackets(split_blanks(bare, 1))}) {
    Cells kept = names;
    while (kept.size() > count && kept.back().empty()) kept.pop_back();
    if (kept.size() != count) continue;
    const bool names_only = std::none_of(kept.begin(), kept.end(),
                                         [](Cell cell) { return cell.empty() || is_number(cell); });
    if (names_only) return kept;
  }
  return {};
}

/// "# threads: 4, seed = 1" tells of the run.
bool tells_of_run(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [](Cell cell) {
    const std::size_t at = cell.find_first_of(":=(");  // "time (minutes:seconds)"
    if (at != std::string_view::npos && cell[at] == '(') return false;
    return at != std::string_view::npos && !trim(cell.substr(at + 1)).empty() &&
           cell.find("->") == std::string_view::npos;
  });
}

bool may_head(const Cells& cells) {
  return !cells.empty() && !tells_of_run(cells) &&
         std::any_of(cells.begin(), cells.end(), is_known_name);
}

/// The last comment before `row` that may be its header.
Cells header_in_comment(const Input& input, const char* row, std::size_t count) {
  std::string_view before = input.text.substr(0, static_cast<std::size_t>(row - input.text.data()));
  while (!before.empty()) {
    const std::size_t end = before.find_last_not_of("\r\n");
    if (end == std::string_view::npos) break;
    const std::size_t newline = before.find_last_of('\n', end);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    std::string_view line = before.substr(begin, end + 1 - begin);
    before = before.substr(0, begin);
    if (begin == 0) line.remove_prefix(std::min(line.find('#'), line.size()));
    if (!trim(line).starts_with('#')) continue;
    if (Cells cells = header_cells(line, count); may_head(cells)) return cells;
  }
  return {};
}

/// A row of units under the header: (s), [ms], -, or s.
bool is_unit_row(const Cells& cells) {
  bool unit = false;
  for (const Cell cell : cells) {
    const std::string_view bare = trim(cell);
    if (bare.empty() || bare == "-" || bare == "#") continue;
    const bool bracketed = (bare.starts_with('(') && bare.ends_with(')')) ||
                           (bare.starts_with('[') && bare.ends_with(']'));
    const auto words = column_named(fmt::format("value {}", bare));
    if (!bracketed && !is_measured(words.kind)) return false;
    unit = true;
  }
  return unit;
}

void add_units(TextTable& table, const Cells& units) {
  for (std::size_t i = 0; i < table.names.size() && i < units.size(); ++i) {
    const std::string_view unit = trim(units[i]);
    if (unit.empty() || unit == "-" || unit == "#") continue;
    table.names[i] += unit.starts_with('(') || unit.starts_with('[') ? fmt::format(" {}", unit)
                                                                     : fmt::format(" ({})", unit);
  }
}

bool repeats_header(const TextTable& table, const Cells& row) {
  if (!table.has_header || row.size() < table.names.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i < table.names.size() ? cell_text(row[i]) != table.names[i] : !row[i].empty())
      return false;
  }
  return true;
}

Error wrong_width(const Input& input, const char* row, const TextTable& table, std::size_t got) {
  std::string names;
  for (std::size_t i = 0; i < got && got < 30; ++i) {
    names += (i == 0 ? "" : ",") + (i < table.width() ? table.names[i] : fmt::format("c{}", i + 1));
  }
  Error error =
      error_at(input, row,
               fmt::format("expected {} columns as in the first line, got {}", table.width(), got));
  if (table.rows() == 0 && !names.empty()) {
    error.offers = {offer("columns", printable(names), "if the header is wrong")};
  }
  return error;
}

/// The comments right above a line, where one or an empty line stands there.
std::optional<std::string> heading_above(std::string_view text, const char* at) {
  std::string_view before = text.substr(0, static_cast<std::size_t>(at - text.data()));
  std::optional<std::string> heading;
  constexpr int kMostLines = 8;
  for (int i = 0; i < kMostLines && !before.empty(); ++i) {
    before.remove_suffix(before.ends_with('\n') ? 1 : 0);
    const std::size_t begin = before.rfind('\n') + 1;
    const std::string_view line = trim(before.substr(begin));
    if (!line.empty() && !line.starts_with('#')) break;
    if (!heading) heading.emplace();
    if (!line.empty()) *heading = std::string(line) + (heading->empty() ? "" : " ") + *heading;
    before = before.substr(0, begin);
  }
  return heading;
}

/// The rows may be of another series than those above.
void begin_block(TextTable& table, std::string heading) {
  const std::size_t rows = table.rows();
  if (rows == 0) {
    if (table.blocks.empty()) table.blocks.emplace_back(0, std::move(heading));
    return;
  }
  if (!table.blocks.empty() && table.blocks.back().first == rows) return;
  if (table.blocks.empty()) table.blocks.emplace_back(0, "");
  table.blocks.emplace_back(rows, std::move(heading));
}

/// Adds a row, or says why it is none.
Result<void> add_row(TextTable& table, Cells& row, const char* at) {
  const bool again = repeats_header(table, row);
  const auto heading = heading_above(table.input.text, at);
  if (heading) begin_block(table, *heading);
  if (again) {
    ++table.headers_again;
    return {};
  }
  while (row.size() > table.width() && row.back().empty()) row.pop_back();
  if (table.cells.empty() && table.has_header && row.size() == table.width() && is_unit_row(row)) {
    add_units(table, row);
    return {};
  }
  if (row.size() != table.width()) return fail(wrong_width(table.input, at, table, row.size()));
  if (table.cells.size() > kMostTableCells) {
    return fail(error_at(table.input, at, "the table has too many cells"));
  }
  table.cells.insert(table.cells.end(), row.begin(), row.end());
  return {};
}

std::vector<std::string> given_names(const ImportOptions& options) {
  std::vector<std::string> names;
  for (const std::string_view name : split(options.columns, ',')) names.emplace_back(trim(name));
  return names;
}

/// "1:" of "1: 9.5 ms".
Cell without_colon(Cell cell) {
  return cell.ends_with(':') ? trim(cell.substr(0, cell.size() - 1)) : cell;
}

/// A number with a unit of time, work or memory: no column is named so.
bool is_amount(Cell cell) {
  if (cell.starts_with('(') && cell.ends_with(')')) cell = trim(cell.substr(1, cell.size() - 2));
  const auto quantity = read_quantity(without_colon(cell), Comma::kThousands);
  if (!quantity) return is_number(cell);
  const std::string_view unit = quantity->unit;
  return unit.empty() || unit == "%" || seconds_in_written_unit(unit) || per_second(unit) ||
         unit == "MB" || unit == "GB" || unit == "KB" || unit == "MiB" || unit == "GiB";
}

/// Numbers from the first line on. What they are, only their names say.
Error no_header(const Input& input, const Cells& cells) {
  Error error = error_at(
      input, cells[0].data(),
      fmt::format("expected a header, or two columns (workers and seconds), got {} columns",
                  cells.size()),
      "other columns likewise; or add a header line");
  constexpr std::size_t kShown = 3;
  for (std::size_t time = 1; time < std::min(cells.size(), kShown); ++time) {
    std::string names = "K";
    for (std::size_t i = 1; i < cells.size(); ++i) {
      names += i == time ? ",time_s" : fmt::format(",c{}", i + 1);
    }
    error.offers.push_back(
        offer("columns", names,
              fmt::format("if column 1 counts workers and column {} holds seconds", time + 1)));
  }
  // Sizes often stand first.
  std::string sizes = "c1,K,time_s";
  for (std::size_t i = 3; i < cells.size(); ++i) sizes += fmt::format(",c{}", i + 1);
  if (cells.size() > 2) {
    error.offers.push_back(
        offer("columns", sizes, "if column 2 counts workers and column 3 holds seconds"));
  }
  std::string repeats = "K";
  for (std::size_t i = 1; i < cells.size(); ++i) repeats += fmt::format(",run_{}", i);
  error.offers.push_back(offer("columns", repeats, "if the others are repeats, in seconds"));
  return error;
}

/// The header of separated values, before the first row; the reader stands behind it.
Result<void> take_header(TextTable& table, CsvReader& reader, const ImportOptions& options) {
  CsvReader ahead = reader;
  Cells cells;
  KSTAR_TRY(const auto more, ahead.next(cells));
  if (!more) return fail(refusal(table.input, "the table has no rows"));
  table.separator = ahead.separator();
  reader.separate_at(ahead.separator());
  const bool numbers = is_number(without_colon(cells[0])) &&
                       std::all_of(cells.begin(), cells.end(),
                                   [](Cell cell) { return cell.empty() || is_amount(cell); });
  if (!options.columns.empty()) {
    table.names = given_names(options);
    if (!any_number(cells)) reader = ahead;
    return {};
  }
  if (any_number(cells)) {
    const Cells behind = header_in_comment(table.input, ahead.record(), cells.size());
    if (!behind.empty()) {
      KSTAR_TRY(table.names, names_in(table.input, behind));
      table.header_in_comment = true;
      return {};
    }
  }
  if (!numbers) {
    reader = ahead;
    KSTAR_TRY(table.names, names_in(table.input, cells));
    return {};
  }
  if (cells.size() != 2) {
    return fail(no_header(table.input, cells));
  }
  table.has_header = false;
  table.names = {"K", "time_s"};
  return {};
}

Result<TextTable> separated_values(const Input& input, const ImportOptions& options) {
  TextTable table{.input = input};
  CsvReader reader(input);
  KSTAR_CHECK(take_header(table, reader, options));
  const auto lines =
      static_cast<std::size_t>(std::count(input.text.begin(), input.text.end(), '\n'));
  table.cells.reserve(std::min((lines + 1) * table.width(), kMostTableCells));
  Cells row;
  while (true) {
    KSTAR_TRY(const auto more, reader.next(row));
    if (!more) break;
    if (!table.has_header) row[0] = without_colon(row[0]);
    KSTAR_CHECK(add_row(table, row, reader.record()));
  }
  table.comments = reader.comments() - (table.header_in_comment ? 1 : 0);
  for (std::string_view rest = input.text; trim(rest).starts_with('#');) {
    table.title += std::string(next_line(rest)) + " ";
  }
  return table;
}

/// Without what Markdown puts around a text.
Cell without_emphasis(Cell cell) {
  const auto is_mark = [](char c) { return c == '*' || c == '`' || c == '_' || c == '~'; };
  while (cell.size() > 1 && is_mark(cell.front()) && is_mark(cell.back())) {
    cell = trim(cell.substr(1, cell.size() - 2));
  }
  // Behind a number it refers to a remark.
  const bool remark = !cell.empty() && (is_digit(cell[0]) || cell[0] == '.');
  while (!remark && cell.size() > 1 && cell.ends_with("*")) cell.remove_suffix(1);
  return trim(cell);
}

Cells bar_cells(std::string_view line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  Cells cells;
  for (const Cell cell : split_at(line, '|')) {
    // An empty cell keeps its place.
    cells.push_back(cell.empty() ? line.substr(0, 0) : without_emphasis(cell));
  }
  return cells;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_bar_row(std::string_view line) {
  line = trim(line);
  return line.find('|') != std::string_view::npos && !is_ruled_line(line);
}

/// The heading above line `at`, and what stands between; in Markdown # begins a heading, elsewhere
/// a comment.
std::string title_above(const std::vector<std::string_view>& lines, std::size_t at, bool markdown) {
  std::string title;
  constexpr std::size_t kFarAbove = 12;
  for (std::size_t i = at; i-- > 0 && at - i < kFarAbove;) {
    const std::string_view line = trim(lines[i]);
    if (is_bar_row(line)) break;
    title = std::string(line) + " " + title;
    if (markdown && line.starts_with('#')) break;
  }
  return title;
}

/// In the first column a text is written once for all the rows below it that are of the same.
void fill_down(TextTable& table) {
  Cell last;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Cell& cell = table.cells[row * table.width()];
    if (is_number(cell)) return;
    if (cell.empty()) cell = last;
    last = cell;
  }
}

/// Tables of Markdown: a header, a rule and rows between bars; the rule may be missing where every
/// line begins and ends with a bar.
Result<std::vector<TextTable>> markdown_tables(const Input& input,
                                               const std::vector<std::string_view>& lines) {
  std::vector<TextTable> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_bar_row(lines[i])) continue;
    const bool ruled = i + 1 < lines.size() && is_ruled_line(lines[i + 1]);
    const bool framed = trim(lines[i]).starts_with('|');
    if (!ruled && !framed) continue;
    TextTable table{.input = input};
    table.separator = '|';
    KSTAR_TRY(table.names, names_in(input, bar_cells(lines[i])));
    table.title = title_above(lines, i, true);
    std::size_t row = i + 1;
    for (; row < lines.size() && !trim(lines[row]).empty(); ++row) {
      if (is_ruled_line(lines[row])) continue;
      if (!is_bar_row(lines[row])) break;
      Cells cells = bar_cells(lines[row]);
      while (cells.size() < table.width()) cells.push_back(lines[row].substr(0, 0));
      KSTAR_CHECK(add_row(table, cells, lines[row].data()));
    }
    i = row - 1;
    fill_down(table);
    if (table.rows() > 0) found.push_back(std::move(table));
  }
  return found;
}

bool is_data_cell(Cell cell) {
  return is_number(cell) || is_absent(cell) || lower_case(cell) == "nan" ||
         lower_case(cell) == "inf";
}

/// A row of numbers, or of a name and numbers.
bool is_data_row(const Cells& cells) {
  const auto data = std::count_if(cells.begin(), cells.end(), is_data_cell);
  return cells.size() > 1 && any_number(cells) &&
         2 * data >= static_cast<std::ptrdiff_t>(cells.size());
}

Cells row_cells(std::string_view line, char separator) {
  if (separator != kBlanks) return split_at(line, separator);
  return split_blanks(trim(line), 1);
}

char row_separator(std::string_view line) {
  const char separator = separator_of(line);
  return separator == '\t' ? kBlanks : separator;
}

/// Columns lined up under a header, wherever they stand in the text.
Result<std::vector<TextTable>> aligned_tables(const Input& input,
                                              const std::vector<std::string_view>& lines) {
  std::vector<TextTable> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view first = trim(lines[i]);
    if (first.empty() || first.starts_with('#') || is_ruled_line(first)) continue;
    const char separator = row_separator(first);
    Cells cells = row_cells(lines[i], separator);
    // Cells with blanks of their own ("12.3 ms", "Data Parallel") line up at two blanks and more.
    const Cells apart = separator == kBlanks ? split_blanks(first, 2) : Cells();
    const bool several = std::count_if(apart.begin(), apart.end(), is_number) > 1;
    if (!is_data_row(cells) && !several) continue;
    // The header stands above it, at most a comment, a rule or an empty line away.
    Cells names;
    std::size_t head = i;
    constexpr std::size_t kFar = 16;
    for (std::size_t back = i; back-- > 0 && i - back < kFar && names.empty();) {
      const std::string_view line = trim(lines[back]);
      if (line.empty() || is_ruled_line(line)) continue;
      Cells maybe = header_cells(line, cells.size());
      if (may_head(maybe)) {
        names = std::move(maybe);
        head = back;
      } else if (!line.starts_with('#')) {
        break;
      }
    }
    if (names.empty() && i > 0 && apart.size() > 1 && (several || is_number(apart[0]))) {
      Cells maybe = header_cells(lines[i - 1], apart.size());
      if (maybe.empty() && i > 1 && is_ruled_line(lines[i - 1])) {
        maybe = header_cells(lines[i - 2], apart.size());
      }
      if (may_head(maybe)) names = std::move(maybe);
    }
    if (names.empty()) continue;
    const bool wide = names.size() != cells.size();
    TextTable table{.input = input};
    table.separator = separator;
    KSTAR_TRY(table.names, names_in(input, names));
    table.title = title_above(lines, head, false);
    std::size_t row = i;
    for (; row < lines.size(); ++row) {
      const std::string_view line = trim(lines[row]);
      if (line.empty() || is_ruled_line(line)) continue;
      if (line.starts_with('#')) {
        ++table.comments;
        continue;
      }
      Cells next = wide ? split_blanks(line, 2) : row_cells(lines[row], separator);
      if (next.size() == table.width() &&
          (wide || is_data_row(next) || repeats_header(table, next))) {
        KSTAR_CHECK(add_row(table, next, lines[row].data()));
        continue;
      }
      // A line that begins as the rows do is one of them.
      const bool cut = !next.empty() && is_number(next[0]) && next.size() > 1 &&
                       is_number(table.at(0, 0)) && is_data_row(next);
      if (cut) return fail(wrong_width(input, lines[row].data(), table, next.size()));
      break;
    }
    if (table.rows() == 0) continue;
    i = row - 1;
    found.push_back(std::move(table));
  }
  return found;
}

/// Whether the first record is a header over separated values, or one of their rows.
bool begins_separated(const Input& input) {
  CsvReader reader(input);
  Cells first, second;
  const auto got = reader.next(first);
  if (!got) return true;  // what is wrong with it is said where it is read
  if (!*got || first.size() < 2) return false;
  if ((reader.separator() == kBlanks || reader.separator() == '\t') && is_number(first[0]) &&
      trim(input.text).starts_with('#')) {
    return false;
  }
  if (reader.separator() == kBlanks) {
    const auto more = reader.next(second);
    const bool header = !any_number(first) && more && *more && second.size() == first.size() &&
                        any_number(second) && may_head(first);
    return header || std::all_of(first.begin(), first.end(), is_number);
  }
  const bool known = std::any_of(first.begin(), first.end(), is_known_name);
  CsvReader below = reader;
  below.separate_at(kBlanks);
  // Commas in the header, blanks in the rows.
  const bool blanks = below.next(second).value_or(false) && second.size() == first.size() &&
                      std::all_of(second.begin(), second.end(), is_number) &&
                      reader.next(second).value_or(false) && second.size() == 1;
  if (blanks) return false;
  if (known || any_number(first)) return true;
  const auto more = reader.next(second);
  return more && *more && second.size() == first.size() && any_number(second);
}

/// Lines drawn with characters for boxes, as bars and hyphens of the same length.
bool draw_plainly(std::string& text) {
  bool drawn = false;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] != '\xE2' || (text[i + 1] != '\x94' && text[i + 1] != '\x95')) continue;
    const bool upright =
        (text[i + 1] == '\x94' && (text[i + 2] == '\x82' || text[i + 2] == '\x83')) ||
        (text[i + 1] == '\x95' && text[i + 2] == '\x91');
    text.replace(i, 3, upright ? "|  " : "---");
    drawn = true;
  }
  return drawn;
}

}  // namespace

TextTable TextTable::without_rows() const {
  TextTable empty{.input = input, .names = names, .cells = {}};
  empty.has_header = has_header;
  empty.header_in_comment = header_in_comment;
  empty.separator = separator;
  empty.title = title;
  empty.owned = owned;
  return empty;
}

void TextTable::copy_row(const TextTable& from, std::size_t row) {
  for (std::size_t i = 0; i < from.width(); ++i) cells.push_back(from.at(row, i));
}

void TableMaker::add(const Fields& fields) {
  std::vector<std::pair<std::size_t, Cell>> row;
  for (const auto& [name, cell] : fields) {
    const auto [place, is_new] = columns_.try_emplace(name, columns_.size());
    if (is_new) table_.names.push_back(name);
    row.emplace_back(place->second, cell);
  }
  rows_.push_back(std::move(row));
}

TextTable TableMaker::table() {
  table_.cells.assign(rows_.size() * table_.width(), table_.input.text.substr(0, 0));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const auto& [column, cell] : rows_[i]) table_.cells[i * table_.width() + column] = cell;
  }
  return std::move(table_);
}

Error cell_error(const TextTable& table, Cell cell, std::string message, std::string hint) {
  const std::string_view text = table.input.text;
  const std::less_equal<const char*> before;
  if (before(text.data(), cell.data()) && before(cell.data(), text.data() + text.size())) {
    return error_at(table.input, cell.data(), std::move(message), std::move(hint));
  }
  return refusal(table.input, std::move(message), std::move(hint));
}

Error unexpected_cell(const TextTable& table, Cell cell, std::string_view what, std::string hint) {
  constexpr std::size_t kShown = 60;
  return cell_error(table, cell,
                    fmt::format("expected {}, got '{}'", what,
                                shorten(printable(cell.substr(0, 4 * kShown)), kShown)),
                    std::move(hint));
}

namespace {

/// What a row is of: K, the problem, the number of the repeat and every text.
std::string key_of_row(const TextTable& table, const std::vector<bool>& measured, std::size_t row) {
  std::string key;
  for (std::size_t i = 0; i < table.width(); ++i) {
    if (!measured[i]) key += std::string(table.at(row, i)) + '\n';
  }
  return key;
}

/// Blocks of rows that say nothing but their heading apart, and go through the same K again, are
/// tables of their own.
std::vector<TextTable> split_blocks(TextTable table) {
  std::vector<TextTable> parts;
  // Where every row stands apart, they are the runs of one sweep.
  if (table.blocks.size() < 2 || table.blocks.size() >= table.rows()) {
    parts.push_back(std::move(table));
    return parts;
  }
  std::vector<bool> measured(table.width());
  bool counted = false;
  for (std::size_t i = 0; i < table.width(); ++i) {
    const ColumnName says = column_named(table.names[i]);
    counted = counted || says.kind == ColumnKind::kWorkers;
    bool numbers = true;
    for (std::size_t row = 0; row < table.rows() && numbers; ++row) {
      numbers = is_data_cell(table.at(row, i));
    }
    measured[i] = is_measured(says.kind) || says.is_part || says.is_day || says.is_remark ||
                  (says.kind == ColumnKind::kOther && numbers);
  }
  std::map<std::string, std::size_t> seen;
  bool again = false;
  std::size_t block = 0;
  for (std::size_t row = 0; row < table.rows() && counted; ++row) {
    while (block + 1 < table.blocks.size() && table.blocks[block + 1].first <= row) ++block;
    const auto [place, is_new] = seen.try_emplace(key_of_row(table, measured, row), block);
    again = again || (!is_new && place->second != block);
  }
  if (!again) {
    parts.push_back(std::move(table));
    return parts;
  }
  for (std::size_t i = 0; i < table.blocks.size(); ++i) {
    const std::size_t begin = table.blocks[i].first;
    const std::size_t end = i + 1 < table.blocks.size() ? table.blocks[i + 1].first : table.rows();
    if (begin == end) continue;
    TextTable part = table.without_rows();
    part.heading = table.blocks[i].second;
    if (!part.heading.empty()) part.title = part.heading;
    for (std::size_t row = begin; row < end; ++row) part.copy_row(table, row);
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<std::vector<TextTable>> whole_tables(const Input& given, const ImportOptions& options) {
  Input input = given;
  const auto owned = std::make_shared<std::deque<std::string>>();
  if (input.text.substr(0, std::size_t{1} << 20U).find("\xE2\x94") != std::string_view::npos) {
    std::string plain(input.text);
    if (draw_plainly(plain)) input.text = owned->emplace_back(std::move(plain));
  }
  const std::string_view start = trim(input.text.substr(0, std::size_t{1} << 20U));
  const bool framed =
      start.starts_with('|') || start.starts_with("+-") ||
      start.find("\n|") != std::string_view::npos || start.find("|--") != std::string_view::npos ||
      start.find("--|") != std::string_view::npos || start.find("-+-") != std::string_view::npos;
  std::vector<TextTable> found;
  const auto keep = [&](Result<std::vector<TextTable>> tables) -> Result<void> {
    if (!tables) return fail(tables.error());
    found = std::move(*tables);
    for (TextTable& table : found) table.owned = owned;
    return {};
  };
  if (framed) {
    KSTAR_CHECK(keep(markdown_tables(input, lines_of(input.text))));
    if (!found.empty()) return found;
  }
  if (!options.columns.empty() || begins_separated(input)) {
    KSTAR_TRY(TextTable table, separated_values(input, options));
    table.owned = owned;
    found.push_back(std::move(table));
    return found;
  }
  KSTAR_CHECK(keep(aligned_tables(input, lines_of(input.text))));
  if (!found.empty()) return found;
  KSTAR_TRY(TextTable table, separated_values(input, options));
  if (table.rows() == 0 || fits(table, options) == 0) {
    return fail(refusal(input,
                        "contains no table whose header names workers and times, rates or "
                        "speedups"));
  }
  found.push_back(std::move(table));
  return found;
}

}  // namespace

Result<std::vector<TextTable>> tables_in(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(auto tables, whole_tables(input, options));
  std::vector<TextTable> found;
  for (TextTable& table : tables) {
    for (TextTable& part : split_blocks(std::move(table))) found.push_back(std::move(part));
  }
  return found;
}

}  // namespace kstar
