#include "import/csv_labels.h"

#include <fmt/format.h>

namespace kstar {

namespace {

/// A hint is read at a glance: the columns that matter most stand first.
constexpr std::size_t kShownLabels = 3;

}  // namespace

CsvLabels::CsvLabels(const CsvTable& table) : table_(table) {
  for (const std::size_t column : table.columns.labels) labels_.push_back({.column = column});
}

void CsvLabels::see(const std::vector<Cell>& cells, int workers) {
  for (CsvLabel& label : labels_) {
    const Cell cell = cells[label.column];
    ++label.rows;
    label.values.add(cell);
    const auto [place, is_new] = label.at.emplace(workers, cell);
    if (!is_new && place->second != cell) label.changes_at_one_k = true;
  }
}

Result<void> CsvLabels::check_one_series() const {
  std::string choices, example;
  std::size_t found = 0;
  for (const CsvLabel& label : labels_) {
    const bool each_its_own = label.values.size() == label.rows || label.values.many();
    if (!label.changes_at_one_k || each_its_own) continue;
    // The first values together are those of the first row.
    example += fmt::format("{}{}={}", example.empty() ? "" : ",", table_.name(label.column),
                           printable(label.values.first()));
    if (found++ >= kShownLabels) continue;
    choices += fmt::format("{}{}: {}", choices.empty() ? "" : "; ", table_.name(label.column),
                           label.values.text());
  }
  if (found == 0) return {};
  if (found > kShownLabels) choices += fmt::format("; other columns: {}", found - kShownLabels);
  return fail(
      {.where = printable(table_.input.name),
       .message = "the table holds several series",
       .hint = fmt::format("pick one, as in --select '{}'; there are {}", example, choices)});
}

}  // namespace kstar
