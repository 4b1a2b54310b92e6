#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/csv/column_name.h"
#include "import/csv/number.h"
#include "import/csv/select.h"
#include "import/csv/table.h"
#include "kstar/import.h"

/// Which column of a table is what.
namespace kstar {

/// A column, and what was seen in it in the rows that were asked for.
struct Column {
  std::string name;
  ColumnName says;
  std::size_t filled = 0;
  std::size_t numbers = 0;
  std::size_t wholes = 0;  ///< of these: whole numbers of 1 and more
  std::size_t regimes = 0;
  Comma comma = Comma::kUnknown;
  Cell ambiguous;              ///< a cell like 1,234, where one was seen
  Cell unclear_point;          ///< one like 1.234
  bool decimal_point = false;  ///< one like 1.5 or 0.125 was seen
  Cell clock;                  ///< of times: the first that is no plain number of a unit
  double largest = 0;          ///< number, a percentage as a share
  std::size_t above_one = 0;   ///< how many are far above 1
  std::size_t percents = 0;    ///< how many have a percent sign
  std::size_t shortened = 0;   ///< how many are like 12.3k
  bool approximate = false;    ///< one like ~12.3 was seen
  std::string reading;         ///< how a name was understood that may mean two things
  bool ignored = false;        ///< the user says so
  bool unlikely = false;       ///< it is none of what its name may mean
  bool numeric() const { return filled > 0 && numbers == filled; }
};

/// The columns by what they are used for.
struct Roles {
  std::vector<Column> columns;
  Selection selection;
  std::vector<std::uint32_t> rows;  ///< that were asked for
  std::size_t steps_of_jobs = 0;    ///< rows that are a part of another row's job

  std::vector<std::size_t> workers;  ///< K is their product; none: the user gives it
  bool counted_twice = false;        ///< K has a column of its own beside its factors
  std::vector<std::size_t> values;   ///< several: repeats
  ColumnName value;                  ///< what they hold
  std::optional<std::size_t> nodes, threads;
  std::optional<std::size_t> repeat, batch, regime;
  std::optional<std::size_t> unit;      ///< of the values, row by row
  std::vector<std::size_t> sizes;       ///< the size is their product
  std::vector<std::size_t> dimensions;  ///< of the problem, without a size
  std::vector<std::size_t> statuses;
  /// Where the size or the batch is that of one worker: the column of counts that it is multiplied
  /// with, or none for K.
  std::optional<std::size_t> parts_of_size, parts_of_batch;
  std::optional<std::size_t> steps, epochs;        ///< how much a run does
  std::optional<std::size_t> converged;            ///< what a run needed until it converged
  std::optional<std::size_t> speedup, efficiency;  ///< claims that stand beside times or rates
  std::optional<std::size_t> worker_rate;          ///< that of one worker, beside the rate of all
  /// What these claims are against, where every row brings it: both, or neither.
  std::optional<std::size_t> base_workers, base_value;
  std::vector<std::size_t> compute, communicate, wait, work;  ///< of workers 0, 1, ...
  std::vector<std::pair<std::size_t, double>> factors;        ///< of POP's, and their scale
  std::vector<std::size_t> labels;  ///< a change of these at one K makes another series
  std::vector<std::size_t> maybe;   ///< likewise, where they look like settings
  std::vector<std::size_t> unused;  ///< all others
  Comma comma = Comma::kUnknown;    ///< what it means in the columns above
  Cell unclear_point;    ///< a value like 1.234, where all look so and none elsewhere tells
  bool guessed = false;  ///< nothing but the user, or its place, says that the values are seconds
  std::string told;      ///< by --time-column: its name says that it is no time

  /// Whether it is a part of the size.
  bool is_size(std::size_t column) const;
  std::string name(std::size_t column) const;
  bool is_of_one_worker(std::size_t column) const { return columns[column].says.of_one_worker; }
  /// Of a table that says what a training needed. Epochs of data whose size is known are samples.
  bool counts_samples() const {
    return sizes.size() == 1 && !is_of_one_worker(sizes[0]) &&
           columns[*converged].says.work == "epochs";
  }
};

/// "8 GPUs", "1 (baseline)": what may stand behind a number of workers.
bool counts_workers(std::string_view unit);

/// "1_seq", "1 (serial)", "serial": another program.
bool names_serial(std::string_view text);

/// Of what kind the workers are, as the ranks of name_table.h; 0 where it does not say.
int rank_of_workers(std::string_view unit);

Result<Roles> roles_of(const TextTable& table, const ImportOptions& options);

/// How surely the names of its columns say that this is a table of K and times, rates or speedups:
/// 4 both, 0 none. A flag that names a column counts.
int fits(const TextTable& table, const ImportOptions& options);

}  // namespace kstar
