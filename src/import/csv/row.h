#pragma once

#include <cstddef>
#include <vector>

#include "import/csv/table.h"

namespace kstar {

/// One row, and what is known of it from outside.
struct CsvRow {
  std::vector<Cell> cells;
  std::ptrdiff_t line = 1;
  bool weak = false;  ///< the work grows with K
};

Result<int> read_workers(const CsvTable& table, const CsvRow& row);

/// What a cell is read as.
struct Amount {
  double scale = 1;       ///< of a cell without a unit of its own
  bool is_time = false;   ///< in seconds then
  bool positive = false;  ///< 0 is refused
};

/// A number of 0 or more with a unit that fits; a time also as clocks write it.
Result<double> read_amount(const CsvTable& table, Cell cell, const Amount& amount = {});

/// The run whose value stands in `column`. A row without a value is a failed run.
Result<Run> read_run(const CsvTable& table, const CsvRow& row, int workers, std::size_t column);

}  // namespace kstar
