#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "import/csv/roles.h"
#include "import/offers.h"

/// The steps in which the roles of the columns are found. Each may fail.
namespace kstar {

/// What a step reads, and writes.
struct RoleSearch {
  const TextTable& table;
  const ImportOptions& options;
  Roles roles{};
};

/// Looks at the cells of every column, and settles names that other columns explain.
Result<void> look_at_columns(RoleSearch& search);
/// The times, rates or ratios.
Result<void> choose_values(RoleSearch& search);
/// K; nothing where the user gives it.
Result<void> choose_workers(RoleSearch& search);
/// The problem, claims and labels, and what a comma means.
Result<void> choose_problem(RoleSearch& search);

using Indices = std::vector<std::size_t>;

/// What every step asks of the columns.
class RoleStep {
 public:
  explicit RoleStep(RoleSearch& search)
      : table_(search.table), options_(search.options), roles_(search.roles) {}

 protected:
  std::vector<Column>& columns() { return roles_.columns; }
  const std::vector<Column>& columns() const { return roles_.columns; }
  std::string where() const { return printable(table_.input.name); }
  std::string name(std::size_t i) const { return printable(columns()[i].name); }
  ColumnName& says(std::size_t i) { return columns()[i].says; }
  const ColumnName& says(std::size_t i) const { return columns()[i].says; }
  int rank(std::size_t i) const { return says(i).rank; }
  bool is_whole(std::size_t i) const;
  Indices all_of(ColumnKind kind) const;
  /// The columns of that kind whose names leave the least doubt.
  Indices surest(ColumnKind kind, bool numbers = true) const;
  std::optional<std::size_t> the_one(ColumnKind kind) const;
  Result<std::size_t> named_column(std::string_view flag, const std::string& name) const;
  /// The numbers of a column, a row each; 0 where there is none.
  std::vector<double> numbers_in(std::size_t column) const;
  /// The same of all rows, whether they were asked for or not.
  std::vector<double> all_numbers_in(std::size_t column) const;
  double number_at(std::size_t row, std::size_t column) const;
  bool is_constant(std::size_t column) const;
  Error same_name(std::size_t i) const;
  /// The names of these columns.
  std::string listed(const Indices& chosen) const;
  /// K may stand in the header.
  std::vector<Offer> across_offers() const;
  /// As many are offered: a hint is read at a glance.
  static constexpr std::size_t kShownColumns = 3;

  const TextTable& table_;
  const ImportOptions& options_;
  Roles& roles_;
};

}  // namespace kstar
