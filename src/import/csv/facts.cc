#include "import/csv/facts.h"

#include <fmt/format.h>

#include <numeric>

#include "base/text.h"

namespace kstar {

namespace {

/// How little a name says that this is the column: unexplained words first, then what sort of
/// summary it is.
int doubt(const ColumnName& says) {
  const std::string& kind = says.statistic;
  const bool mean = kind == "mean" || kind == "avg" || kind == "average";
  const int summary = kind.empty() ? 0 : mean ? 1 : kind == "median" ? 2 : 3;
  return 4 * says.unexplained + summary;
}

}  // namespace

std::string listed(const Facts& columns, const std::vector<std::size_t>& chosen) {
  std::string text;
  for (const std::size_t i : chosen) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", printable(columns[i].name));
  }
  return text;
}

std::vector<std::size_t> all_of(const Facts& columns, ColumnKind kind) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].says.kind == kind) found.push_back(i);
  }
  return found;
}

std::optional<std::size_t> only(const Facts& columns, ColumnKind kind) {
  const auto found = all_of(columns, kind);
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

std::vector<std::size_t> surest(const Facts& columns, ColumnKind kind, bool numbers) {
  std::vector<std::size_t> best;
  for (const std::size_t i : all_of(columns, kind)) {
    if (columns[i].filled == 0 || (numbers && columns[i].numbers == 0)) continue;
    const int least = best.empty() ? doubt(columns[i].says) : doubt(columns[best[0]].says);
    if (doubt(columns[i].says) > least) continue;
    if (doubt(columns[i].says) < least) best.clear();
    best.push_back(i);
  }
  return best;
}

Result<std::size_t> named_column(const Input& input, const Facts& columns, std::string_view flag,
                                 const std::string& name) {
  std::vector<std::string> names;
  for (const ColumnFacts& column : columns) names.push_back(column.name);
  const std::size_t found = column_index(names, name);
  if (found != std::string::npos) return found;
  std::vector<std::size_t> all(columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fail(expected(
      flag, fmt::format("a column of {} ({})", printable(input.name), listed(columns, all)), name));
}

}  // namespace kstar
