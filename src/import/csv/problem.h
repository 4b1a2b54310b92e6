#pragma once

#include <map>
#include <optional>
#include <vector>

#include "import/csv/labels.h"
#include "import/csv/table.h"

namespace kstar {

/// What a table says of the problem: its regime, and its size, batch, steps and settings at each K.
class CsvProblem {
 public:
  explicit CsvProblem(const CsvTable& table) : table_(table) {}

  Result<void> see(const std::vector<Cell>& cells, int workers);
  /// Whether the work grows with K, as far as the rows so far and the user say.
  bool is_weak() const;
  /// Writes it into the header of the study, whose runs are read. Labels that are settings of the
  /// program (flags, a precision) are the workload's; how it was built also stands among the
  /// versions, where it is the same at every K.
  void finish(const CsvLabels& labels, Study& study);

 private:
  Result<void> see_amounts(const std::vector<Cell>& cells, Workload& problem);
  Result<void> see_steps(const std::vector<Cell>& cells, Workload& problem);
  /// An amount of one worker becomes that of all.
  void multiply(const std::vector<Cell>& cells, const std::optional<std::size_t>& column,
                const std::optional<std::size_t>& parts, std::optional<double>& amount,
                int workers) const;
  void drop_unsteady(Study& study);
  void keep_settings(const CsvLabels& labels, Study& study);
  void say_work_of_rates(const Study& study);
  std::string unit_of_work() const;

  const CsvTable& table_;
  std::map<int, Workload> problems_;
  std::optional<Regime> regime_;
  bool unsteady_ = false;  ///< steps or epochs differ between runs of one K
};

}  // namespace kstar
