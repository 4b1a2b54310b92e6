#include "import/csv_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr double kMostWorkers = 1e9;
constexpr std::size_t kMostRuns = 1'000'000;
constexpr std::size_t kShownNames = 20;

/// A column that may tell series apart: what it holds at each K, and in all.
struct Label {
  std::size_t column = 0;
  std::map<int, std::string_view> at;  ///< the first value seen at each K
  bool changes_at_one_k = false;
  SeenValues values;
  std::size_t rows = 0;
};

bool says_success(std::string_view status) {
  for (const std::string_view good :
       {"success", "ok", "pass", "passed", "done", "true", "0", "completed"}) {
    if (status == good) return true;
  }
  return status.empty();
}

class RunReader {
 public:
  RunReader(const Input& input, const CsvSurvey& survey, const CsvColumns& columns,
            const ImportOptions& options)
      : input_(input), survey_(survey), columns_(columns), options_(options) {
    study_ = start_study(input);
    counted_ = input.text.data();
    for (const std::size_t column : columns.labels) labels_.push_back({.column = column});
  }

  Result<Study> read() {
    CsvReader reader(input_);
    bool has_header = true;
    if (const auto names = read_header(input_, reader, has_header); !names) {
      return fail(names.error());
    }
    while (true) {
      const auto more = reader.next(cells_);
      if (!more) return fail(more.error());
      if (!*more) break;
      count_lines(reader.record());
      if (auto done = take_row(); !done) return fail(done.error());
      if (study_.runs.size() > kMostRuns) {
        return fail(error_at(input_, reader.record(),
                             fmt::format("the table has more than {} runs", kMostRuns)));
      }
    }
    if (auto one = check_one_series(); !one) return fail(one.error());
    if (study_.runs.empty()) {
      return fail({.where = printable(input_.name),
                   .message = "no row has a number of workers and a value"});
    }
    finish();
    return std::move(study_);
  }

 private:
  std::string name_of_column(std::size_t i) const { return printable(survey_.columns[i].name); }

  Result<void> take_row() {
    for (const Condition& condition : survey_.selection.conditions) {
      if (!matches(condition, cells_[condition.column])) return {};
    }
    if (is_absent(cells_[columns_.workers])) {
      if (without_workers_++ == 0) first_without_ = cells_[columns_.workers].data();
      return {};
    }
    const auto workers = read_workers();
    if (!workers) return fail(workers.error());
    for (Label& label : labels_) look_at(label, *workers);
    if (auto done = read_problem(*workers); !done) return done;
    for (std::size_t i = 0; i < columns_.values.size(); ++i) {
      auto run = read_run(*workers, columns_.values[i]);
      if (!run) return fail(run.error());
      if (columns_.values.size() > 1) {
        if (is_absent(cells_[columns_.values[i]])) continue;  // fewer repeats than other rows
        run->block = static_cast<int>(i);
      }
      study_.runs.push_back(std::move(*run));
    }
    return {};
  }

  void look_at(Label& label, int workers) {
    const Cell cell = cells_[label.column];
    ++label.rows;
    label.values.add(cell);
    const auto [place, is_new] = label.at.emplace(workers, cell);
    if (!is_new && place->second != cell) label.changes_at_one_k = true;
  }

  Result<int> read_workers() {
    const Cell cell = cells_[columns_.workers];
    const auto number = read_number(cell, columns_.comma);
    if (!number || *number < 1 || *number > kMostWorkers || *number != std::floor(*number)) {
      return fail(
          expected_at(input_, cell, "a whole number of workers from 1 to 1e9",
                      fmt::format("the column '{}' is taken for K; --k-column names another",
                                  name_of_column(columns_.workers))));
    }
    return static_cast<int>(*number);
  }

  /// A number of 0 or more with a unit that fits.
  Result<double> read_amount(std::size_t column, double scale, bool is_time) {
    const Cell cell = cells_[column];
    const std::string what = fmt::format("a {} of 0 or more", is_time ? "time" : "number");
    const auto quantity = read_quantity(cell, columns_.comma);
    if (!quantity || quantity->value < 0) return fail(expected_at(input_, cell, what));
    double factor = scale;
    if (!quantity->unit.empty()) {
      const auto unit = is_time ? seconds_in_unit(quantity->unit) : std::nullopt;
      const bool percent = !is_time && quantity->unit == "%";
      const bool times = !is_time && (quantity->unit == "x" || quantity->unit == "X");
      if (!unit && !percent && !times) return fail(expected_at(input_, cell, what));
      factor = unit ? *unit : percent ? 0.01 : 1;
    }
    const double value = quantity->value * factor;
    if (!std::isfinite(value)) return fail(expected_at(input_, cell, what));
    return value;
  }

  Result<Run> read_run(int workers, std::size_t column) {
    Run run;
    run.workers = workers;
    if (auto done = read_value(column, run); !done) return fail(done.error());
    if (auto done = read_parts(run); !done) return fail(done.error());
    if (auto done = read_work(run); !done) return fail(done.error());
    if (columns_.status && !says_success(cells_[*columns_.status])) {
      run.failure = fmt::format("{}: {}", name_of_column(*columns_.status),
                                shorten(printable(cells_[*columns_.status]), 200));
    }
    if (columns_.repeat) {
      const auto repeat = parse_double(cells_[*columns_.repeat]);
      if (repeat && *repeat >= 0 && *repeat < 1e9 && *repeat == std::floor(*repeat)) {
        run.block = static_cast<int>(*repeat);
      }
    }
    if (columns_.nodes) {
      const auto nodes = read_number(cells_[*columns_.nodes], columns_.comma);
      const bool fits =
          nodes && *nodes >= 1 && *nodes <= workers && std::fmod(workers, *nodes) == 0;
      if (fits && *nodes < workers) {
        run.nodes = static_cast<int>(*nodes);
        run.ranks = workers / *run.nodes;
      }
    }
    keep_claims(run);
    return run;
  }

  Result<void> read_value(std::size_t column, Run& run) {
    if (is_absent(cells_[column])) {
      run.failure = "the table has no value for it";
      return {};
    }
    const bool is_time = columns_.value.kind == ColumnKind::kTime;
    const auto value = read_amount(column, columns_.value.scale, is_time);
    if (!value) return fail(value.error());
    if (*value == 0) return fail(expected_at(input_, cells_[column], "a value above 0"));
    run.wall = is_time ? *value : seconds_of_rate(*value, run.workers);
    if (!std::isfinite(*run.wall) || *run.wall <= 0) {
      return fail(expected_at(input_, cells_[column], "a value that can be told as seconds"));
    }
    return {};
  }

  /// A Study keeps seconds. X units of work a second are 1/X seconds for one; where the work grows
  /// with K, K/X for K of them. A speedup is a rate in units of the base's.
  double seconds_of_rate(double value, int workers) const {
    const ColumnKind kind = columns_.value.kind;
    const bool of_one = kind == ColumnKind::kWorkerRate || kind == ColumnKind::kEfficiency;
    const double rate = of_one ? value * workers : value;
    return (is_weak() ? workers : 1) / rate;
  }

  bool is_weak() const { return regime_ == Regime::kWeak || options_.regime == Regime::kWeak; }

  Result<void> read_parts(Run& run) {
    const std::pair<const std::vector<std::size_t>*, std::vector<double> PerWorker::*> parts[] = {
        {&columns_.compute, &PerWorker::compute},
        {&columns_.communicate, &PerWorker::communicate},
        {&columns_.wait, &PerWorker::wait},
        {&columns_.work, &PerWorker::work}};
    for (const auto& [list, member] : parts) {
      for (const std::size_t column : *list) {
        if (is_absent(cells_[column])) continue;
        const auto value =
            read_amount(column, survey_.columns[column].says.scale, member != &PerWorker::work);
        if (!value) return fail(value.error());
        auto& into = run.per_worker.emplace().*member;
        if (into.size() == static_cast<std::size_t>(run.workers)) {
          return fail(
              error_at(input_, cells_[column].data(),
                       fmt::format("the row has {} workers and values for more", run.workers)));
        }
        into.push_back(*value);
      }
    }
    return {};
  }

  /// Epochs of data whose size is known are samples.
  bool counts_samples() const {
    return columns_.size && survey_.columns[*columns_.converged].says.work == "epochs";
  }

  Result<void> read_work(Run& run) {
    if (!columns_.converged || is_absent(cells_[*columns_.converged])) return {};
    const auto amount = read_amount(*columns_.converged, 1, false);
    if (!amount) return fail(amount.error());
    double size = 1;
    if (counts_samples() && !is_absent(cells_[*columns_.size])) {
      const auto data = read_amount(*columns_.size, 1, false);
      if (!data) return fail(data.error());
      size = *data;
    }
    const double work = *amount * size;
    if (std::isfinite(work) && work > 0) run.work = work;
    return {};
  }

  /// What a table says of S and E beside its times: a claim to check, no sample.
  void keep_claims(Run& run) const {
    std::string claims;
    const auto keep = [&](const std::optional<std::size_t>& column, std::string_view name) {
      if (!column) return;
      const auto value = read_quantity(cells_[*column], columns_.comma);
      if (!value) return;
      const double scale = survey_.columns[*column].says.scale;
      const double claimed = value->unit == "%" ? value->value / 100 : value->value * scale;
      if (!std::isfinite(claimed)) return;
      claims += fmt::format("{}\"{}\":{}", claims.empty() ? "" : ",", name, claimed);
    };
    keep(columns_.speedup, "speedup");
    keep(columns_.efficiency, "efficiency");
    if (claims.empty()) return;
    claims += base_of_claim();
    run.extra = fmt::format("{{\"claim\":{{{}}}}}", claims);
  }

  /// What the claims of this row are against, where the row has it; and which row that is.
  std::string base_of_claim() const {
    if (!columns_.base_value) return "";
    const auto workers = read_number(cells_[*columns_.base_workers], columns_.comma);
    const auto value = read_number(cells_[*columns_.base_value], columns_.comma);
    if (!workers || !value || !(*workers >= 1) || !(*workers <= kMostWorkers) || !(*value > 0)) {
      return "";
    }
    const double amount = *value * columns_.base_scale;
    const double seconds = columns_.value.kind == ColumnKind::kTime
                               ? amount
                               : seconds_of_rate(amount, static_cast<int>(*workers));
    if (!std::isfinite(seconds) || !(seconds > 0)) return "";
    return fmt::format(",\"base\":{{\"workers\":{},\"seconds\":{}}},\"line\":{}",
                       static_cast<int>(*workers), seconds, line_);
  }

  /// Lines count from 1; a record never stands before the one before it.
  void count_lines(const char* record) {
    line_ += std::count(counted_, record, '\n');
    counted_ = record;
  }

  Result<void> read_problem(int workers) {
    if (columns_.regime) regime_ = regime_named(cells_[*columns_.regime]);
    if (!columns_.size && !columns_.batch && !columns_.converged) return {};
    Workload& problem = problems_[workers];
    problem.workers = workers;
    if (columns_.converged) {
      problem.unit = counts_samples() ? "samples" : survey_.columns[*columns_.converged].says.work;
      problem.stopping = "when it has converged";
    }
    const auto keep = [&](const std::optional<std::size_t>& column, std::optional<double>& into) {
      if (!column || is_absent(cells_[*column])) return Result<void>{};
      const auto value = read_amount(*column, 1, false);
      if (!value) return Result<void>(fail(value.error()));
      into = *value;
      return Result<void>{};
    };
    if (auto done = keep(columns_.size, problem.size); !done) return done;
    return keep(columns_.batch, problem.batch);
  }

  /// Rows that differ at one K in what they are of, and not only in the number of the repeat.
  Result<void> check_one_series() {
    std::string choices, example;
    for (const Label& label : labels_) {
      const bool each_its_own = label.values.size() == label.rows || label.values.many();
      if (!label.changes_at_one_k || each_its_own) continue;
      choices += fmt::format("{}{}: {}", choices.empty() ? "" : "; ", name_of_column(label.column),
                             label.values.text());
      // The first values together are those of the first row.
      example += fmt::format("{}{}={}", example.empty() ? "" : ",", name_of_column(label.column),
                             printable(label.values.first()));
    }
    if (choices.empty()) return {};
    if (options_.claims && columns_.base_value) {
      add_note(study_, Severity::kWarning, "several-series", {},
               "the table holds several series: its rows are no one curve, each has its own base");
      return {};
    }
    return fail(
        {.where = printable(input_.name),
         .message = "the table holds several series",
         .hint = fmt::format("pick one, as in --select '{}'; there are {}", example, choices)});
  }

  void finish() {
    study_.header.title += title_of_selection();
    set_regime();
    set_workload();
    settle_blocks();
    note_values();
    note_columns();
  }

  std::string title_of_selection() const {
    std::string text;
    for (const Condition& condition : survey_.selection.conditions) {
      text += fmt::format("{}{}={}", text.empty() ? ": " : ", ", name_of_column(condition.column),
                          printable(condition.value));
    }
    if (survey_.selection.value_column.empty()) return text;
    return text + (text.empty() ? ": " : ", ") + printable(survey_.selection.value_column);
  }

  void set_regime() {
    if (regime_) {
      study_.header.regime = regime_;
    } else if (columns_.value.kind != ColumnKind::kTime) {
      study_.header.regime = Regime::kThroughput;
    }
  }

  void set_workload() {
    if (problems_.empty() && columns_.value.kind != ColumnKind::kTime) {
      if (!is_weak()) {
        study_.header.workload.push_back({.size = 1, .unit = unit_of_work()});
        return;
      }
      for (const Run& run : study_.runs) {
        problems_[run.workers] = {
            .workers = run.workers, .size = run.workers, .unit = unit_of_work()};
      }
    }
    if (problems_.empty()) return;
    const Workload& first = problems_.begin()->second;
    const bool same = std::all_of(problems_.begin(), problems_.end(), [&](const auto& entry) {
      return entry.second.size == first.size && entry.second.batch == first.batch;
    });
    for (const auto& [workers, problem] : problems_) {
      study_.header.workload.push_back(problem);
      if (!same) continue;
      study_.header.workload.back().workers.reset();
      break;
    }
  }

  std::string unit_of_work() const {
    if (columns_.value.kind == ColumnKind::kSpeedup ||
        columns_.value.kind == ColumnKind::kEfficiency) {
      return "jobs, in times of the base";
    }
    return columns_.value.work.empty() ? "units of the rate" : columns_.value.work;
  }

  /// A number of the repeat means runs near in time only where the rows stand that way: all of one
  /// repeat, then all of the next. Where a K has a number twice, it is no such number.
  void settle_blocks() {
    if (!columns_.repeat) {
      if (columns_.values.size() > 1) drop_blocks();
      return;
    }
    std::set<std::pair<int, int>> seen;
    int last = -1;
    bool in_order = true;
    for (const Run& run : study_.runs) {
      const int block = run.block.value_or(-1);
      in_order = in_order && block >= last && seen.emplace(run.workers, block).second;
      last = block;
    }
    if (in_order && last >= 0) {
      add_note(study_, Severity::kInfo, "blocks", {},
               fmt::format("the rows stand by '{}': runs of one number are taken for near in time",
                           name_of_column(*columns_.repeat)));
    } else {
      drop_blocks();
    }
  }

  void drop_blocks() {
    for (Run& run : study_.runs) run.block.reset();
  }

  void note_values() {
    const std::string column = name_of_column(columns_.values[0]);
    const auto note = [&](Severity severity, std::string_view what, std::string text) {
      add_note(study_, severity, what, {}, std::move(text));
    };
    switch (columns_.value.kind) {
      case ColumnKind::kRate:
        note(Severity::kInfo, "rate",
             fmt::format("'{}' is a rate: a run's seconds are those for one unit of work{}", column,
                         is_weak() ? " on each worker" : ""));
        break;
      case ColumnKind::kWorkerRate:
        note(Severity::kWarning, "rate",
             fmt::format("'{}' is a rate of one worker: it was multiplied with K; a run's seconds "
                         "are those for one unit of work",
                         column));
        break;
      case ColumnKind::kSpeedup:
      case ColumnKind::kEfficiency:
        note(Severity::kWarning, "relative",
             fmt::format("'{}' is relative, and no time stands beside it: a run's seconds are "
                         "parts of the base's time, whatever that was",
                         column));
        break;
      default:
        break;
    }
    if (columns_.guessed) {
      note(Severity::kWarning, "guessed",
           fmt::format("nothing in the table says what '{}' holds: it was taken for seconds",
                       column));
    }
    if (!survey_.has_header) {
      note(Severity::kWarning, "guessed",
           "the table has no header: its columns were taken for workers and seconds");
    }
    if (columns_.value.minutes_or_minimum && columns_.value.scale == 60) {
      note(Severity::kWarning, "guessed", fmt::format("'{}' was taken for minutes", column));
    }
    if (!columns_.value.statistic.empty()) {
      note(Severity::kWarning, "summary",
           fmt::format("'{}' holds a {} of runs, not runs: each counts as one run, and the spread "
                       "of those behind it is lost",
                       column, columns_.value.statistic));
    }
    const auto failures = std::count_if(study_.runs.begin(), study_.runs.end(),
                                        [](const Run& run) { return failed(run); });
    if (failures > 0) {
      note(Severity::kWarning, "run-failed",
           fmt::format("{} of {} runs have no value or a status that is no success", failures,
                       study_.runs.size()));
    }
  }

  void note_columns() {
    for (const Label& label : labels_) {
      if (label.values.size() < 2 || label.changes_at_one_k || label.column == columns_.size ||
          label.column == columns_.batch ||
          survey_.columns[label.column].says.kind == ColumnKind::kWorkers) {
        continue;
      }
      add_note(study_, Severity::kWarning, "changes-with-k", {},
               fmt::format("'{}' changes with K: {}", name_of_column(label.column),
                           label.values.text()));
    }
    if (without_workers_ > 0) {
      add_note(study_, Severity::kWarning, "skipped", place_of(input_, first_without_),
               fmt::format("{} rows without a number of workers were skipped, this one first",
                           without_workers_));
    }
    if (survey_.comments > 0) {
      add_note(study_, Severity::kInfo, "skipped", {},
               fmt::format("{} lines that begin with # were skipped", survey_.comments));
    }
    if (columns_.left_out.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : columns_.left_out) {
      if (names.size() == kShownNames) break;
      names.push_back(shorten(printable(name), 60));
    }
    add_note(study_, Severity::kInfo, "left-out", {},
             fmt::format("columns that were not used: {}{}", fmt::join(names, ", "),
                         names.size() < columns_.left_out.size() ? " ..." : ""));
  }

  Input input_;
  const CsvSurvey& survey_;
  const CsvColumns& columns_;
  const ImportOptions& options_;
  std::vector<Cell> cells_;
  std::vector<Label> labels_;
  std::map<int, Workload> problems_;
  std::optional<Regime> regime_;
  std::size_t without_workers_ = 0;
  const char* first_without_ = nullptr;
  const char* counted_ = nullptr;  ///< how far lines were counted
  std::ptrdiff_t line_ = 1;
  Study study_;
};

}  // namespace

Result<Study> read_runs(const Input& input, const CsvSurvey& survey, const CsvColumns& columns,
                        const ImportOptions& options) {
  return RunReader(input, survey, columns, options).read();
}

}  // namespace kstar
