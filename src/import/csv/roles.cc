#include "import/csv/roles.h"

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_table.h"
#include "import/csv/role_step.h"

namespace kstar {

bool counts_workers(std::string_view unit) {
  // "1k" is a thousand of them.
  if (unit.empty() || lower_case(unit) == "k") return false;
  const Words words = words_of(unit);
  return !words.empty() && std::all_of(words.begin(), words.end(), [](const std::string& word) {
    // "4 vCPUs", "4 (default)"
    return is_worker_word(word) || means(word, Sense::kCounting) || means(word, Sense::kAside);
  });
}

bool names_serial(std::string_view text) {
  return holds(words_of(text), Sense::kSerial);
}

int rank_of_workers(std::string_view unit) {
  for (const std::string& word : words_of(unit)) {
    const double rank = std::max(number_of(word, Sense::kWorkers), number_of(word, Sense::kWorker));
    if (rank > 0) return static_cast<int>(rank);
  }
  return 0;
}

bool Roles::is_size(std::size_t column) const {
  return std::find(sizes.begin(), sizes.end(), column) != sizes.end();
}

std::string Roles::name(std::size_t column) const {
  return printable(columns[column].name);
}

Result<Roles> roles_of(const TextTable& table, const ImportOptions& options) {
  RoleSearch search{table, options};
  KSTAR_CHECK(look_at_columns(search));
  KSTAR_CHECK(choose_values(search));
  KSTAR_CHECK(choose_workers(search));
  if (!search.roles.workers.empty()) KSTAR_CHECK(choose_problem(search));
  return std::move(search.roles);
}

int fits(const TextTable& table, const ImportOptions& options) {
  const auto has = [&](const std::string& name) {
    return !name.empty() && column_index(table.names, name) != std::string::npos;
  };
  bool workers = has(options.worker_column) || table.key_is_guess;
  bool maybe = false;
  bool values = has(options.time_column) || has(options.rate_column);
  for (const std::string& name : table.names) {
    const ColumnName says = column_named(name);
    workers = workers || (says.kind == ColumnKind::kWorkers && !says.singular);
    maybe = maybe || says.kind == ColumnKind::kWorkers;
    values = values || is_measured(says.kind) || says.is_part;
  }
  return (workers ? 2 : maybe ? 1 : 0) + (values ? 2 : 0);
}

}  // namespace kstar
