#include "import/csv/select.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr std::size_t kMostValues = 10'000;
/// A hint is read at a glance.
constexpr std::size_t kShownValues = 4;
constexpr std::size_t kShownWidth = 40;

Error no_such_column(std::string_view name, std::span<const std::string> columns) {
  const std::vector<std::string> names(columns.begin(), columns.end());
  const std::string near = did_you_mean(name, names);
  std::vector<std::string> safe;
  for (const std::string& column : names) safe.push_back(printable(column));
  return expected("--select", fmt::format("a column ({})", fmt::join(safe, ", ")), name,
                  near.empty() ? "" : fmt::format("did you mean '{}'?", printable(near)));
}

/// Pieces between commas; one without "=" belongs to the value before it.
std::vector<std::string> pieces_of(std::string_view select) {
  std::vector<std::string> pieces;
  for (const std::string_view piece : split(select, ',')) {
    const bool goes_on = piece.find('=') == std::string_view::npos && !pieces.empty() &&
                         pieces.back().find('=') != std::string::npos;
    if (goes_on) {
      pieces.back().append(",").append(piece);
    } else {
      pieces.emplace_back(trim(piece));
    }
  }
  return pieces;
}

}  // namespace

std::size_t column_index(std::span<const std::string> columns, std::string_view name) {
  const auto exact = std::find(columns.begin(), columns.end(), name);
  if (exact != columns.end()) return static_cast<std::size_t>(exact - columns.begin());
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (lower_case(columns[i]) != lower_case(name)) continue;
    if (found != std::string::npos) return std::string::npos;
    found = i;
  }
  return found;
}

Result<Selection> parse_selection(std::string_view select, std::span<const std::string> columns) {
  Selection selection;
  if (trim(select).empty()) return selection;
  for (const std::string& piece : pieces_of(select)) {
    const std::size_t equals = piece.find('=');
    const std::string name(trim(std::string_view(piece).substr(0, equals)));
    const std::string value(
        equals == std::string::npos ? name : trim(std::string_view(piece).substr(equals + 1)));
    const std::size_t column =
        equals == std::string::npos ? std::string::npos : column_index(columns, name);
    if (column != std::string::npos) {
      selection.conditions.push_back({column, value});
    } else if (const auto chosen = column_index(columns, value); chosen != std::string::npos) {
      selection.value_column = columns[chosen];
    } else {
      return fail(no_such_column(name, columns));
    }
  }
  return selection;
}

bool matches(const Condition& condition, Cell cell) {
  if (cell_text(cell) == condition.value) return true;
  const auto a = parse_double(cell), b = parse_double(condition.value);
  return a && b && *a == *b;
}

void SeenValues::add(Cell cell) {
  if (many_ || values_.find(cell) != values_.end()) return;
  many_ = values_.size() == kMostValues;
  if (many_) return;
  values_.emplace(cell, values_.size());
  if (order_.size() < kShownValues) order_.push_back(cell_text(cell));
}

std::vector<std::string> SeenValues::shown() const {
  std::vector<std::string> all;
  for (const std::string& value : order_) all.push_back(shorten(printable(value), kShownWidth));
  return all;
}

std::optional<int> SeenValues::more() const {
  if (order_.size() == values_.size()) return {};
  return static_cast<int>(values_.size());
}

std::string SeenValues::text() const {
  const std::string all = fmt::format("{}", fmt::join(shown(), ", "));
  if (!more()) return all;
  return fmt::format("{} ... ({}{} in total)", all, many_ ? "more than " : "", *more());
}

}  // namespace kstar
