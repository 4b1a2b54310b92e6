#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "import/csv/table.h"

namespace kstar {

/// A column that may tell series apart: what it holds at each K, and in all.
struct CsvLabel {
  std::size_t column = 0;
  std::map<int, std::string_view> at;  ///< the first value seen at each K
  bool changes_at_one_k = false;
  SeenValues values;
  std::size_t rows = 0;
  bool counts = false;  ///< it is a number that belongs to the problem or the machine
  /// Nobody knows it: it tells series apart only where its values come again at other K, as those
  /// of a measurement do not.
  bool is_factor = false;
  std::map<std::string_view, std::map<int, std::size_t>> seen_at{};  ///< its rows, by value and K
};

/// The labels of a table, as far as its rows were read.
class CsvLabels {
 public:
  explicit CsvLabels(const CsvTable& table);

  void see(const std::vector<Cell>& cells, int workers);
  const std::vector<CsvLabel>& all() const { return labels_; }

  /// Rows that differ at one K in what they are of, and not only in the number of the repeat, are
  /// of several series: an error that says how to pick one.
  Result<void> check_one_series() const;

 private:
  static bool distinguishes(const CsvLabel& label);
  static bool comes_again(const CsvLabel& label);
  std::string or_ignore(const std::vector<const CsvLabel*>& telling) const;
  Error several_series(const std::vector<const CsvLabel*>& telling) const;
  Error several_counts(const CsvLabel& other) const;

  const CsvTable& table_;
  std::vector<CsvLabel> labels_;
};

}  // namespace kstar
