#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/text.h"
#include "import/csv_columns.h"

namespace kstar {

namespace {

constexpr std::size_t kLongestName = 1000;

bool is_number(Cell cell) {
  // The comma's meaning is not known yet: both readings count.
  return read_number(cell, Comma::kThousands) || read_number(cell, Comma::kDecimal);
}

/// "12.3 ms", "85%" and "3.2x" are numbers; "2016-12-28" is none.
bool has_known_unit(const Quantity& quantity) {
  return quantity.unit.empty() || quantity.unit == "%" || quantity.unit == "x" ||
         quantity.unit == "X" || seconds_in_unit(quantity.unit);
}

void look_at(Cell cell, ColumnFacts& facts) {
  if (is_absent(cell)) return;
  ++facts.filled;
  if (cell.find(',') != std::string_view::npos && is_number(cell)) {
    facts.comma = both(facts.comma, comma_in(cell));
    if (is_ambiguous(cell)) facts.ambiguous = cell;
  }
  const auto quantity = read_quantity(cell, Comma::kThousands);
  if ((quantity && has_known_unit(*quantity)) || is_number(cell)) ++facts.numbers;
  if (quantity && quantity->value >= 1 && quantity->value == std::floor(quantity->value)) {
    ++facts.wholes;
  }
  if (regime_named(cell)) ++facts.regimes;
  if (facts.says.kind == ColumnKind::kMetric) facts.values.add(cell);
}

bool asked_for(const Selection& selection, const std::vector<Cell>& cells) {
  return std::all_of(
      selection.conditions.begin(), selection.conditions.end(),
      [&](const Condition& condition) { return matches(condition, cells[condition.column]); });
}

/// `seen` is what the columns of the conditions hold, in their order.
Error no_such_row(const Input& input, const CsvSurvey& found, const std::vector<SeenValues>& seen) {
  std::string hint;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string& column = found.columns[found.selection.conditions[i].column].name;
    hint += fmt::format("{}{}: {}", hint.empty() ? "there are " : "; ", printable(column),
                        seen[i].text());
  }
  std::string message = found.selection.conditions.empty() ? "the table has no rows"
                                                           : "no row is what --select asks for";
  return {.where = printable(input.name), .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

Result<std::vector<std::string>> read_header(const Input& input, CsvReader& reader,
                                             bool& has_header) {
  CsvReader ahead = reader;
  std::vector<Cell> cells;
  const auto more = ahead.next(cells);
  if (!more) return fail(more.error());
  if (!*more) return fail({.where = printable(input.name), .message = "the table has no rows"});
  has_header = !std::all_of(cells.begin(), cells.end(), is_number);
  std::vector<std::string> names;
  if (has_header) {
    for (const Cell cell : cells) {
      if (cell.size() > kLongestName) {
        return fail(error_at(input, cell.data(),
                             fmt::format("the name of a column is longer than {} bytes: is this a "
                                         "table?",
                                         kLongestName)));
      }
      names.push_back(cell_text(cell));
    }
    reader = ahead;
    return names;
  }
  reader.separate_at(ahead.separator());
  if (cells.size() != 2) {
    return fail(error_at(
        input, cells[0].data(),
        fmt::format("expected a header, or two columns (workers and seconds), got {} columns",
                    cells.size()),
        "put a line with names in front: K,time_s or workers,run_1,run_2"));
  }
  return std::vector<std::string>{"K", "time_s"};
}

Result<CsvSurvey> survey(const Input& input, const ImportOptions& options) {
  CsvSurvey found;
  CsvReader reader(input);
  const auto names = read_header(input, reader, found.has_header);
  if (!names) return fail(names.error());
  for (const std::string& name : *names) {
    found.columns.push_back({.name = name, .says = column_named(name)});
  }
  auto selection = parse_selection(options.select, *names);
  if (!selection) return fail(selection.error());
  found.selection = std::move(*selection);
  std::vector<SeenValues> seen(found.selection.conditions.size());
  std::vector<Cell> cells;
  while (true) {
    const auto more = reader.next(cells);
    if (!more) return fail(more.error());
    if (!*more) break;
    while (cells.size() > names->size() && cells.back().empty()) cells.pop_back();
    if (cells.size() != names->size()) {
      return fail(error_at(input, reader.record(),
                           fmt::format("expected {} columns as in the first line, got {}",
                                       names->size(), cells.size())));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen[i].add(cells[found.selection.conditions[i].column]);
    }
    if (!asked_for(found.selection, cells)) continue;
    ++found.rows;
    for (std::size_t i = 0; i < cells.size(); ++i) look_at(cells[i], found.columns[i]);
  }
  if (found.rows == 0) return fail(no_such_row(input, found, seen));
  found.comments = reader.comments();
  found.separator = reader.separator();
  return found;
}

}  // namespace kstar
