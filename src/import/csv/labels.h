#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "import/csv/rows.h"

namespace kstar {

/// A column that may tell series apart: what it holds at each K, and in all.
struct Label {
  std::size_t column = 0;
  std::map<int, Cell> at{};  ///< the first value seen at each K
  bool changes_at_one_k = false;
  bool other_words_at_one_k = false;  ///< and not only in numbers
  SeenValues values{};
  std::size_t rows = 0;
  bool counts = false;  ///< it is a number that belongs to the problem or the machine
  /// Nobody knows it: it tells series apart only where its values look like settings.
  bool is_maybe = false;
  std::map<Cell, std::map<int, std::size_t>> seen_at{};  ///< its rows, by value and K
  Cell last{};
  int last_workers = 0;
};

/// The labels of a table, as far as its rows were read.
class TableLabels {
 public:
  explicit TableLabels(const KnownTable& known);

  void see(std::size_t row, int workers);
  const std::vector<Label>& all() const { return labels_; }

  /// Rows that differ at one K in what they are of, and not only in the number of the repeat, are
  /// of several series: an error that says how to pick one.
  Result<void> check_one_series() const;

  /// A column that may be the size of the problem grows with K, and nobody says what it is: an
  /// error that says how to decide.
  Result<void> check_growth() const;

  /// A text beside rows of one K that are not alike; null where there is none.
  const Label* text_of_rows() const;
  /// A text that is another one at every K.
  const Label* text_of_each() const;

  /// A dimension of the problem that is the same at every K, where none grows.
  std::optional<std::size_t> steady_dimension() const;

 private:
  bool distinguishes(const Label& label) const;
  static bool comes_again(const Label& label);
  bool comes_back(const Label& label) const;
  static bool names_other_chips(const std::vector<std::string>& words, const Label& label);
  struct Fullest {
    std::vector<Cell> values;
    bool has_several_k = false;
    bool most_have = false;  ///< at least half of all series
  };
  Fullest fullest(const std::vector<const Label*>& telling) const;
  static std::string words_without_numbers(Cell cell);
  Error rows_of_workers(const Label& label) const;
  bool may_be_size(const Label& label) const;
  std::vector<const Label*> needed(std::vector<const Label*> telling) const;
  Offer select_one(const std::vector<const Label*>& telling) const;
  std::vector<Offer> parts(const std::vector<const Label*>& telling) const;
  std::string available(const std::vector<const Label*>& telling) const;
  Error several_series(const std::vector<const Label*>& telling) const;
  Error several_counts(const Label& other) const;
  const Label* mixed_layout() const;

  const KnownTable& known_;
  std::vector<Label> labels_;
};

/// Whether it is the same at every K.
bool is_one_value(const Label& label);

/// Positive numbers (4096, 64x64) that grow with K, and never fall.
enum class Numbers { kWhole, kReal };
bool grows_with_workers(const Label& label, Numbers numbers = Numbers::kWhole);

}  // namespace kstar
