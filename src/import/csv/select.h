#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/csv/reader.h"

/// The part of a table that --select asks for.
namespace kstar {

struct Condition {
  std::size_t column = 0;
  std::string value;
};

struct Selection {
  std::vector<Condition> conditions;
  std::string value_column;  ///< where it names a column to take the values from
};

/// "kind=strong,date=2016-12-28": rows with these values. A column's name alone, or as a value of a
/// name that no column has ("program=triad"), says which column holds the values.
Result<Selection> parse_selection(std::string_view select, std::span<const std::string> columns);

/// Equal as texts, or as numbers.
bool matches(const Condition& condition, Cell cell);

/// The column of that name, exactly or but for capitals; npos where there is none, or two.
std::size_t column_index(std::span<const std::string> columns, std::string_view name);

/// The values that a column was seen with, as far as anybody would read them.
class SeenValues {
 public:
  void add(Cell cell);
  std::size_t size() const { return values_.size(); }
  bool many() const { return many_; }
  /// "a, b, c (17 in total)".
  std::string text() const;
  /// As far as they are shown.
  std::vector<std::string> shown() const;
  /// How many there are, where not all are shown.
  std::optional<int> more() const;
  /// The same, as they stand in the table.
  const std::vector<std::string>& first() const { return order_; }

 private:
  std::map<std::string, std::size_t, std::less<>> values_;
  std::vector<std::string> order_;
  bool many_ = false;
};

}  // namespace kstar
