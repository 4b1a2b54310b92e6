#include "import/csv/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/try.h"
#include "import/csv/header.h"
#include "import/csv/labels.h"
#include "import/csv/notes.h"
#include "import/csv/problem.h"
#include "import/csv/row.h"

namespace kstar {

namespace {

constexpr std::size_t kMostRuns = 1'000'000;

std::string title_of_selection(const CsvTable& table) {
  const Selection& selection = table.survey.selection;
  std::string text;
  for (const Condition& condition : selection.conditions) {
    text += fmt::format("{}{}={}", text.empty() ? ": " : ", ", table.name(condition.column),
                        printable(condition.value));
  }
  if (selection.value_column.empty()) return text;
  return text + (text.empty() ? ": " : ", ") + printable(selection.value_column);
}

/// Whether the rows stand by the number of the repeat: all of one, then all of the next. Where a K
/// has a number twice, it is no such number.
bool stand_by_block(const std::vector<Run>& runs) {
  std::set<std::pair<int, int>> seen;
  int last = -1;
  for (const Run& run : runs) {
    const int block = run.block.value_or(-1);
    if (block < last || !seen.emplace(run.workers, block).second) return false;
    last = block;
  }
  return last >= 0;
}

/// Repeats mean runs near in time only where the rows stand that way; columns of one row do not say
/// when they were measured. Elsewhere the number is kept as what the file has beside the run.
void settle_blocks(const CsvTable& table, Study& study) {
  const auto& repeat = table.columns.repeat;
  if (repeat && stand_by_block(study.runs)) {
    add_note(study, Severity::kInfo, "blocks", {}, {{"column", table.name(*repeat)}});
    return;
  }
  bool numbered = false;
  for (Run& run : study.runs) {
    if (run.block && repeat) {
      run.settings.emplace()[table.name(*repeat)] = std::to_string(*run.block);
      numbered = true;
    }
    run.block.reset();
  }
  if (numbered)
    add_note(study, Severity::kInfo, "run-numbers", {}, {{"column", table.name(*repeat)}});
}

/// The rate of one worker beside that of all: K times the one is the other, or that times a
/// constant (of workers in a node).
class WorkerRates {
 public:
  void see(const CsvTable& table, const CsvRow& row, int workers) {
    const auto& column = table.columns.worker_rate;
    if (!column || table.columns.values.size() != 1 || worst_) return;
    const auto all = read_number(row.cells[table.columns.values[0]], table.columns.comma);
    const auto one = read_number(row.cells[*column], table.columns.comma);
    if (!all || !one || !(*all > 0) || !(*one > 0)) return;
    const double ratio = *all / *one / workers;
    if (!first_) first_ = ratio;
    // Both may be rounded to three digits.
    constexpr double kRounding = 0.03;
    if (std::fabs(ratio / *first_ - 1) > kRounding)
      worst_ = {workers, *all, *one * *first_ * workers};
  }

  void add_note_to(const CsvTable& table, Study& study) const {
    if (!worst_) return;
    add_note(study, Severity::kWarning, "rates-disagree", {},
             {{"column", table.name(*table.columns.worker_rate)},
              {"workers", worst_->workers},
              {"rate", worst_->all},
              {"product", worst_->product}});
  }

 private:
  struct Disagreement {
    int workers;
    double all, product;
  };
  std::optional<double> first_;
  std::optional<Disagreement> worst_;
};

class RunReader {
 public:
  explicit RunReader(const CsvTable& table)
      : table_(table),
        labels_(table_),
        problem_(table_),
        counted_(table.input.text.data()),
        study_(start_study(table.input.name)) {}

  Result<Study> read() {
    CsvReader reader(table_.input);
    KSTAR_TRY(const auto header, read_header(table_.input, reader));
    while (true) {
      const auto more = reader.next(row_.cells);
      if (!more) return fail(more.error());
      if (!*more) break;
      if (header.stands_in(row_.cells)) continue;
      count_lines(reader.record());
      KSTAR_CHECK(take_row());
      if (study_.runs.size() > kMostRuns) {
        return fail(error_at(table_.input, reader.record(),
                             fmt::format("the table has more than {} runs", kMostRuns)));
      }
    }
    return finish();
  }

 private:
  Result<void> take_row() {
    for (const Condition& condition : table_.survey.selection.conditions) {
      if (!matches(condition, row_.cells[condition.column])) return {};
    }
    for (const std::size_t column : table_.columns.workers) {
      const Cell counted = row_.cells[column];
      if (!is_absent(counted)) continue;
      if (without_workers_.count++ == 0) without_workers_.first = counted.data();
      return {};
    }
    KSTAR_TRY(const auto workers, read_workers(table_, row_));
    labels_.see(row_.cells, workers);
    if (auto done = problem_.see(row_.cells, workers); !done) return done;
    row_.weak = problem_.is_weak();
    worker_rates_.see(table_, row_, workers);
    return take_runs(workers);
  }

  Result<void> take_runs(int workers) {
    const std::vector<std::size_t>& values = table_.columns.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      KSTAR_TRY(auto run, read_run(table_, row_, workers, values[i]));
      // Fewer repeats than other rows have.
      if (values.size() > 1 && is_absent(row_.cells[values[i]])) continue;
      study_.runs.push_back(std::move(run));
    }
    return {};
  }

  /// Lines count from 1; a record never stands before the one before it.
  void count_lines(const char* record) {
    row_.line += std::count(counted_, record, '\n');
    counted_ = record;
  }

  Result<Study> finish() {
    if (auto one = labels_.check_one_series(); !one) {
      if (!table_.options.claims || !table_.columns.base_value) return fail(one.error());
      add_note(study_, Severity::kWarning, "several-series");
    }
    if (study_.runs.empty()) {
      return fail({.where = printable(table_.input.name),
                   .message = "no row has a number of workers and a value"});
    }
    study_.header.title += title_of_selection(table_);
    problem_.finish(labels_, study_);
    settle_blocks(table_, study_);
    worker_rates_.add_note_to(table_, study_);
    note_csv(table_, labels_, without_workers_, problem_.is_weak(), study_);
    return std::move(study_);
  }

  CsvTable table_;
  CsvLabels labels_;
  CsvProblem problem_;
  CsvRow row_;
  WorkerRates worker_rates_;
  SkippedRows without_workers_;
  const char* counted_;  ///< how far lines were counted
  Study study_;
};

}  // namespace

Result<Study> read_runs(const Input& input, const CsvSurvey& survey, const CsvColumns& columns,
                        const ImportOptions& options) {
  return RunReader({input, survey, columns, options}).read();
}

}  // namespace kstar
