#pragma once

#include "import/csv/roles.h"

namespace kstar {

/// A table whose columns are known, while its rows are read.
struct KnownTable {
  const TextTable& table;
  const Roles& roles;
  const ImportOptions& options;
};

/// One row, and what is known of it from outside.
struct KnownRow {
  std::size_t row = 0;
  int workers = 1;
  bool weak = false;     ///< the work grows with K
  std::size_t line = 0;  ///< of the file, where somebody needs it
};

/// Whether the number is what a program computed, and no code for how it ended: "result" 3.14159.
bool is_computed(std::string_view column, double number);

/// Whether what stands in a column of statuses says that the run went wrong. Any other word is a
/// remark.
bool says_failure(std::string_view column, std::string_view cell);

/// None where the row has no number of workers.
Result<std::optional<int>> workers_in_row(const KnownTable& known, std::size_t row);

/// What a cell is read as.
struct Amount {
  double scale = 1;       ///< of a cell without a unit of its own
  bool is_time = false;   ///< in seconds then
  bool positive = false;  ///< 0 is refused
  double clock = 0;       ///< seconds of the last place of 10:30, where it is known
};

/// A number of 0 or more with a unit that fits; a time also as clocks write it.
Result<double> amount_in(const KnownTable& known, Cell cell, const Amount& amount = {});

/// The run whose value stands in `column`. A row without a value is a failed run.
Result<Run> run_in(const KnownTable& known, const KnownRow& row, std::size_t column);

}  // namespace kstar
