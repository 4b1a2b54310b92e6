#pragma once

#include <map>
#include <optional>

#include "import/csv/labels.h"

namespace kstar {

/// "weak_scaling.csv", "# weak scaling", "constant work per thread": what a name or a heading calls
/// it. Nothing where it says both. Of a column's name any noun will do: "20 000 cells per core".
std::optional<Regime> regime_called(std::string_view text, bool any_noun = false);

/// What a table says of the problem: its regime, and its size, batch, steps and settings at each K.
class TableProblem {
 public:
  explicit TableProblem(const KnownTable& known) : known_(known) {}

  Result<void> see(std::size_t row, int workers);
  /// Whether the work grows with K, as far as the rows so far and the user say.
  bool is_weak() const;
  /// Writes it into the header of the study, whose runs are read. Labels that are settings of the
  /// program (flags, a precision) are the workload's; how it was built also stands among the
  /// versions, where it is the same at every K.
  Result<void> finish(const TableLabels& labels, Study& study);

 private:
  Result<void> see_amounts(std::size_t row, Workload& problem);
  Result<void> see_steps(std::size_t row, Workload& problem);
  /// An amount of one worker becomes that of all.
  void multiply(std::size_t row, const std::optional<std::size_t>& column,
                const std::optional<std::size_t>& parts, std::optional<double>& amount,
                int workers) const;
  Result<void> settle_regime(const TableLabels& labels, Study& study);
  bool states_strong_efficiencies(const Study& study) const;
  Result<void> check_rates(const Study& study) const;
  Result<void> check_texts(const TableLabels& labels, const Study& study) const;
  Result<void> check_growth(Study& study) const;
  void drop_unsteady(Study& study);
  void keep_settings(const TableLabels& labels, Study& study);
  void say_work_of_rates(const Study& study);
  std::string unit_of_work() const;

  const KnownTable& known_;
  std::map<int, Workload> problems_;
  std::optional<Regime> regime_;
  bool unsteady_ = false;  ///< steps or epochs differ between runs of one K
};

}  // namespace kstar
