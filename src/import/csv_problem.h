#pragma once

#include <map>
#include <optional>
#include <vector>

#include "import/csv_table.h"

namespace kstar {

/// What a table says of the problem: its regime, and its size and batch at each K.
class CsvProblem {
 public:
  explicit CsvProblem(const CsvTable& table) : table_(table) {}

  Result<void> see(const std::vector<Cell>& cells, int workers);
  /// Whether the work grows with K, as far as the rows so far and the user say.
  bool is_weak() const;
  /// Writes it into the header of the study, whose runs are read.
  void finish(Study& study);

 private:
  std::string unit_of_work() const;

  const CsvTable& table_;
  std::map<int, Workload> problems_;
  std::optional<Regime> regime_;
};

}  // namespace kstar
