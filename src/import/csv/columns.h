#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/csv/column_name.h"
#include "import/csv/number.h"
#include "import/csv/reader.h"
#include "import/csv/select.h"
#include "kstar/import.h"

/// Which column of a table is what.
namespace kstar {

/// What was seen in a column, in the rows that were asked for.
struct ColumnFacts {
  std::string name;
  ColumnName says;
  std::size_t filled = 0;
  std::size_t numbers = 0;
  std::size_t wholes = 0;  ///< of these: whole numbers of 1 and more
  std::size_t regimes = 0;
  Comma comma = Comma::kUnknown;
  std::string_view ambiguous;      ///< a cell like 1,234, where one was seen
  SeenValues values;               ///< of a column that names what was measured
  std::string_view unclear_point;  ///< a cell like 1.234, where one was seen
  bool decimal_point = false;      ///< one like 1.5 or 0.125
  std::string_view clock;          ///< of times: the first that is no plain number of a unit
  std::vector<double> counts;      ///< of workers, a row each; 0 where there is none
  double largest = 0;              ///< number, a percentage as a share
  std::size_t above_one = 0;       ///< how many are far above 1
  std::size_t percents = 0;        ///< how many have a percent sign
  std::string reading;             ///< how a name was understood that may mean two things
  bool ignored = false;            ///< the user says so
  bool unlikely = false;           ///< it is none of what its name may mean
  bool numeric() const { return filled > 0 && numbers == filled; }
};

/// A table before its runs are read.
struct CsvSurvey {
  std::vector<ColumnFacts> columns;
  bool has_header = true;
  Selection selection;
  std::size_t rows = 0;  ///< that were asked for
  std::size_t comments = 0;
  std::size_t headers_again = 0;  ///< rows that repeat the header
  char separator = ',';
};

Result<CsvSurvey> survey(const Input& input, const ImportOptions& options);

/// A column of one of POP's factors, by its name in a Study.
struct PopColumn {
  std::size_t column = 0;
  std::string_view factor;
  double scale = 1;
};

struct CsvColumns {
  std::vector<std::size_t> workers;  ///< K is their product
  std::vector<std::size_t> values;   ///< several: repeats
  ColumnName value;                  ///< what they hold
  std::optional<std::size_t> nodes, threads;
  std::optional<std::size_t> repeat, size, batch, regime;
  std::vector<std::size_t> statuses;
  /// Where `size` or `batch` is that of one worker: the column of counts that it is multiplied
  /// with, or none for K.
  std::optional<std::size_t> parts_of_size, parts_of_batch;
  std::optional<std::size_t> steps, epochs;        ///< how much a run does
  std::optional<std::size_t> converged;            ///< what a run needed until it converged
  std::optional<std::size_t> speedup, efficiency;  ///< claims that stand beside times or rates
  std::optional<std::size_t> worker_rate;          ///< that of one worker, beside the rate of all
  /// What these claims are against, where every row brings it: both, or neither.
  std::optional<std::size_t> base_workers, base_value;
  double base_scale = 1;                                      ///< of the unit of `base_value`
  std::vector<std::size_t> compute, communicate, wait, work;  ///< of workers 0, 1, ...
  std::vector<PopColumn> pop;
  std::vector<std::size_t> labels;  ///< a change of these at one K makes another series
  /// Columns of numbers: those of them whose values come again at other K make another series, too.
  std::vector<std::size_t> factors;
  std::vector<std::size_t> left_out;
  Comma comma = Comma::kUnknown;  ///< what it means in the columns above
  bool guessed =
      false;  ///< nothing but the user, or its being the second, says what the values are
};

Result<CsvColumns> choose_columns(const Input& input, const CsvSurvey& survey,
                                  const ImportOptions& options);

}  // namespace kstar
