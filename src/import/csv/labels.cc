#include "import/csv/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/csv/counts.h"
#include "import/csv/name_words.h"

namespace kstar {

namespace {

/// A hint is read at a glance: the columns that matter most stand first.
constexpr std::size_t kShownLabels = 3;

}  // namespace

CsvLabels::CsvLabels(const CsvTable& table) : table_(table) {
  for (const std::size_t column : table.columns.labels) {
    const ColumnFacts& facts = table.survey.columns[column];
    // A load that was measured is named as one that was set.
    const bool measured =
        facts.says.kind == ColumnKind::kWorkers && facts.says.rank >= kRankOfClients;
    labels_.push_back({.column = column, .counts = facts.numeric() && !measured});
  }
  for (const std::size_t column : table.columns.factors) {
    labels_.push_back({.column = column, .is_factor = true});
  }
}

void CsvLabels::see(const std::vector<Cell>& cells, int workers) {
  for (CsvLabel& label : labels_) {
    const Cell cell = cells[label.column];
    ++label.rows;
    label.values.add(cell);
    const auto [place, is_new] = label.at.emplace(workers, cell);
    if (!is_new && place->second != cell) label.changes_at_one_k = true;
    if (label.is_factor && !label.values.many()) ++label.seen_at[cell][workers];
  }
}

bool CsvLabels::distinguishes(const CsvLabel& label) {
  if (!label.changes_at_one_k) return false;
  if (label.is_factor) return comes_again(label);
  const bool each_its_own = label.values.size() == label.rows || label.values.many();
  return label.counts || !each_its_own;
}

bool CsvLabels::comes_again(const CsvLabel& label) {
  constexpr double kMost = 0.8;
  if (label.values.many()) return false;
  std::size_t values = 0, rows = 0;
  for (const auto& [value, at] : label.seen_at) {
    if (at.size() < 2) continue;
    ++values;
    for (const auto& [workers, count] : at) rows += count;
  }
  return values > 1 && static_cast<double>(rows) >= kMost * static_cast<double>(label.rows);
}

Result<void> CsvLabels::check_one_series() const {
  std::vector<const CsvLabel*> telling;
  for (const CsvLabel& label : labels_) {
    if (distinguishes(label)) telling.push_back(&label);
  }
  if (telling.empty()) return {};
  const bool counts = std::all_of(telling.begin(), telling.end(), [&](const CsvLabel* label) {
    return table_.survey.columns[label->column].says.rank != 0;
  });
  if (counts && table_.options.worker_column.empty()) return fail(several_counts(*telling[0]));
  return fail(several_series(telling));
}

/// What counts in the problem or the machine always makes a difference.
std::string CsvLabels::or_ignore(const std::vector<const CsvLabel*>& telling) const {
  for (const CsvLabel* label : telling) {
    if (label->counts) continue;
    return fmt::format("; or ignore a column that makes no difference: --ignore '{}'",
                       table_.name(label->column));
  }
  return "";
}

Error CsvLabels::several_series(const std::vector<const CsvLabel*>& telling) const {
  std::string choices, example;
  for (std::size_t i = 0; i < telling.size(); ++i) {
    const CsvLabel& label = *telling[i];
    // The first values together are those of the first row.
    example += fmt::format("{}{}={}", example.empty() ? "" : ",", table_.name(label.column),
                           printable(label.values.first()));
    if (i >= kShownLabels) continue;
    choices += fmt::format("{}{}: {}", choices.empty() ? "" : "; ", table_.name(label.column),
                           label.values.text());
  }
  if (telling.size() > kShownLabels) {
    choices += fmt::format("; other columns: {}", telling.size() - kShownLabels);
  }
  return {.where = printable(table_.input.name),
          .message = "the table contains several series",
          .hint = fmt::format("pick one, for example --select '{}'; available: {}{}", example,
                              choices, or_ignore(telling))};
}

/// Nobody knows which count is K, or one K stands in several layouts.
Error CsvLabels::several_counts(const CsvLabel& other) const {
  const std::vector<std::size_t>& workers = table_.columns.workers;
  const std::string name = table_.name(other.column);
  const std::string select =
      fmt::format("select some of the rows, for example --select '{}={}' (available: {})", name,
                  printable(other.values.first()), other.values.text());
  if (workers.size() == 1) {
    const std::string k = table_.name(workers[0]);
    return {.where = printable(table_.input.name),
            .message = fmt::format("'{}' changes while '{}', which seems to be K, stays the same",
                                   name, k),
            .hint = fmt::format("{}; or {}", which_is_k(name, k), select)};
  }
  return {.where = printable(table_.input.name),
          .message = fmt::format(
              "one K has several layouts: '{}' changes while '{}' times '{}' stays the same", name,
              table_.name(workers[0]), table_.name(workers[1])),
          .hint = select};
}

}  // namespace kstar
