#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/dag.h"

/// How amounts and tasks of a graph are said.
namespace kstar::dag_words {

/// Seconds in one unit, which fits the largest; or the file's own units.
class Amounts {
 public:
  explicit Amounts(const DagAnalysis& analysis);

  std::string text(double value) const;           ///< "35.8 s"; "1401" of units
  std::string cell(double value) const;           ///< in the unit of the table's head
  std::string head(std::string_view name) const;  ///< "greedy [s]"
  double scaled(double value) const { return value / unit_; }
  std::string axis() const;  ///< "time [s]"

 private:
  bool seconds_;
  double unit_ = 1;
  std::string name_;
};

/// "30"; "1.05e+06" above a million.
std::string workers_number(double workers);

/// A task's name in so many columns: without what build tools put before a file's name, and of a
/// long one the end, which tells it from others.
std::string task_name(std::string_view name, std::size_t columns);
/// Several in one table: where leaving out the beginning makes two names the same, it is the
/// middle.
std::vector<std::string> task_names(const std::vector<std::string_view>& names,
                                    std::size_t columns);

}  // namespace kstar::dag_words
