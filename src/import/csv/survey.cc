#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/columns.h"
#include "import/csv/facts.h"
#include "import/csv/header.h"
#include "import/csv/ratios.h"

namespace kstar {

namespace {

/// No share of a whole, and no efficiency.
constexpr double kFarAboveOne = 1.5;

/// "12.3 ms", "85%" and "3.2x" are numbers; "2016-12-28" is none.
bool has_known_unit(const Quantity& quantity) {
  return quantity.unit.empty() || quantity.unit == "%" || quantity.unit == "x" ||
         quantity.unit == "X" || seconds_in_unit(quantity.unit);
}

/// Of a time: what stands in it beside plain numbers.
void look_at_clock(Cell cell, ColumnFacts& facts) {
  if (!read_clock(cell) && !is_unclear_clock(cell)) return;
  ++facts.numbers;
  if (facts.clock.empty()) facts.clock = cell;
}

/// Where a word for a failure stands instead of a value.
bool is_measured(const ColumnName& says) {
  return says.kind == ColumnKind::kTime || says.kind == ColumnKind::kRate ||
         says.kind == ColumnKind::kWorkerRate || is_ratio(says.kind) ||
         (says.kind == ColumnKind::kRepeat && says.index);
}

void look_at_point(Cell cell, ColumnFacts& facts) {
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos || cell.find(',') != std::string_view::npos) return;
  // A thousandfold speedup is none.
  const bool unclear = is_unclear_point(cell) && !is_ratio(facts.says.kind);
  if (unclear && facts.unclear_point.empty()) facts.unclear_point = cell;
  if (!unclear && read_quantity(cell, Comma::kThousands)) facts.decimal_point = true;
}

void look_at_value(const Quantity& quantity, ColumnFacts& facts) {
  const bool percent = quantity.unit == "%";
  const double value = percent ? quantity.value / 100 : quantity.value;
  facts.percents += percent ? 1 : 0;
  facts.largest = std::max(facts.largest, value);
  if (value > kFarAboveOne) ++facts.above_one;
}

void look_at(Cell cell, ColumnFacts& facts) {
  const bool counted =
      facts.says.kind == ColumnKind::kWorkers || facts.says.kind == ColumnKind::kWorkersIn;
  if (counted) facts.counts.push_back(0);
  if (is_absent(cell) || (is_measured(facts.says) && is_failure(cell))) return;
  ++facts.filled;
  const bool marked = cell.find(',') != std::string_view::npos || has_grouped_points(cell);
  if (marked && is_number(cell)) {
    facts.comma = both(facts.comma, comma_in(cell));
    if (is_ambiguous(cell)) facts.ambiguous = cell;
  }
  look_at_point(cell, facts);
  const auto quantity = read_quantity(cell, Comma::kThousands);
  const bool rate =
      facts.says.kind == ColumnKind::kRate || facts.says.kind == ColumnKind::kWorkerRate;
  // "12.3k" is refused at its place, and not passed over.
  if ((quantity && has_known_unit(*quantity)) || is_number(cell) ||
      (quantity && rate && is_shortened(*quantity))) {
    ++facts.numbers;
  } else if (facts.says.kind == ColumnKind::kTime) {
    look_at_clock(cell, facts);
  }
  if (quantity) look_at_value(*quantity, facts);
  if (counted && quantity) facts.counts.back() = quantity->value;
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
    hint += fmt::format("{}{}: {}", hint.empty() ? "available: " : "; ", printable(column),
                        seen[i].text());
  }
  std::string message =
      found.selection.conditions.empty() ? "the table has no rows" : "no row matches --select";
  return {.where = printable(input.name), .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

Result<CsvSurvey> survey(const Input& input, const ImportOptions& options) {
  CsvSurvey found;
  CsvReader reader(input);
  KSTAR_TRY(const auto header, read_header(input, reader));
  const std::vector<std::string>* names = &header.names;
  found.has_header = header.given;
  for (const std::string& name : *names) {
    found.columns.push_back({.name = name, .says = column_named(name)});
  }
  for (const std::string& name : options.ignored_columns) {
    KSTAR_TRY(const auto column, named_column(input, found.columns, "--ignore", name));
    found.columns[column].says = {};
    found.columns[column].ignored = true;
  }
  KSTAR_TRY(auto selection, parse_selection(options.select, *names));
  found.selection = std::move(selection);
  std::vector<SeenValues> seen(found.selection.conditions.size());
  std::vector<Cell> cells;
  while (true) {
    KSTAR_TRY(const auto more, reader.next(cells));
    if (!more) break;
    if (header.stands_in(cells)) {
      ++found.headers_again;
      continue;
    }
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
  found.comments = reader.comments() - (header.in_comment ? 1 : 0);
  found.separator = reader.separator();
  settle_ratios(found, options);
  return found;
}

}  // namespace kstar
