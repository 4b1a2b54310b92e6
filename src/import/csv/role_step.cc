#include "import/csv/role_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"
#include "import/csv/name_table.h"

namespace kstar {

namespace {

/// How little a name says that this is the column: unexplained words first, then what sort of
/// summary it is.
int doubt(const ColumnName& says) {
  const int sort = static_cast<int>(number_of(says.statistic, Sense::kStatistic));
  const int summary = says.statistic.empty() ? 0 : sort > 0 ? sort : 3;  // "p95"
  return 8 * says.unexplained + (says.of_one_step ? 4 : 0) + summary;
}

}  // namespace

bool RoleStep::is_whole(std::size_t i) const {
  return !roles_.rows.empty() && columns()[i].wholes == roles_.rows.size();
}

Indices RoleStep::all_of(ColumnKind kind) const {
  Indices found;
  for (std::size_t i = 0; i < columns().size(); ++i) {
    if (says(i).kind == kind && !columns()[i].ignored) found.push_back(i);
  }
  return found;
}

Indices RoleStep::surest(ColumnKind kind, bool numbers) const {
  Indices best;
  for (const std::size_t i : all_of(kind)) {
    if (columns()[i].filled == 0 || (numbers && columns()[i].numbers == 0)) continue;
    const int least = best.empty() ? doubt(says(i)) : doubt(says(best[0]));
    if (doubt(says(i)) > least) continue;
    if (doubt(says(i)) < least) best.clear();
    best.push_back(i);
  }
  return best;
}

std::optional<std::size_t> RoleStep::the_one(ColumnKind kind) const {
  const Indices best = surest(kind);
  return best.size() == 1 ? std::optional(best[0]) : std::nullopt;
}

Result<std::size_t> RoleStep::named_column(std::string_view flag, const std::string& name) const {
  const std::size_t found = column_index(table_.names, name);
  if (found != std::string::npos) return found;
  Indices all(columns().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fail(expected(flag, fmt::format("a column of {} ({})", where(), listed(all)), name));
}

double RoleStep::number_at(std::size_t row, std::size_t column) const {
  const auto quantity = read_quantity(table_.at(row, column), Comma::kThousands);
  return quantity ? quantity->value : 0;
}

std::vector<double> RoleStep::numbers_in(std::size_t column) const {
  std::vector<double> numbers;
  numbers.reserve(roles_.rows.size());
  for (const std::uint32_t row : roles_.rows) numbers.push_back(number_at(row, column));
  return numbers;
}

std::vector<double> RoleStep::all_numbers_in(std::size_t column) const {
  std::vector<double> numbers(table_.rows());
  for (std::size_t row = 0; row < numbers.size(); ++row) numbers[row] = number_at(row, column);
  return numbers;
}

bool RoleStep::is_constant(std::size_t column) const {
  return std::all_of(roles_.rows.begin(), roles_.rows.end(), [&](std::uint32_t row) {
    return table_.at(row, column) == table_.at(roles_.rows[0], column);
  });
}

Error RoleStep::same_name(std::size_t i) const {
  std::map<std::string, int> seen;
  std::string names;
  for (const Column& column : columns()) {
    const int count = ++seen[column.name];
    names += fmt::format("{}{}{}", names.empty() ? "" : ",", printable(column.name),
                         count > 1 ? fmt::format("_{}", count) : "");
  }
  return refusal(table_.input, fmt::format("two columns are named '{}'", name(i)),
                 {offer("columns", names, "to give each a name of its own")});
}

std::vector<Offer> RoleStep::across_offers() const {
  if (options_.across || !may_run_across(table_)) return {};
  Offer across = offer("across", "", "if the numbers in the header are K");
  if (!options_.time_column.empty()) across.flags.emplace_back("time-column", "value");
  if (!options_.rate_column.empty()) across.flags.emplace_back("rate-column", "value");
  return {std::move(across)};
}

std::string RoleStep::listed(const Indices& chosen) const {
  std::string text;
  for (const std::size_t i : chosen) text += (text.empty() ? "" : ", ") + name(i);
  return text;
}

}  // namespace kstar
