#include "import/csv/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/labels.h"
#include "import/csv/name_workers.h"
#include "import/csv/notes.h"
#include "import/csv/problem.h"
#include "import/offers.h"
#include "import/samples.h"

namespace kstar {

namespace {

std::string title_of_selection(const Roles& roles) {
  std::string text;
  for (const Condition& condition : roles.selection.conditions) {
    text += fmt::format("{}{}={}", text.empty() ? ": " : ", ", roles.name(condition.column),
                        printable(condition.value));
  }
  if (roles.selection.value_column.empty()) return text;
  return text + (text.empty() ? ": " : ", ") + printable(roles.selection.value_column);
}

/// Whether the rows stand by the number of the repeat: all of one, then all of the next. Where a K
/// has a number twice, it is no such number.
bool stand_by_block(const std::vector<Run>& runs) {
  constexpr int kNone = -2;
  std::map<int, int> seen;  // at each K: the last
  int last = -1;
  for (const Run& run : runs) {
    const int block = run.block.value_or(-1);
    int& before = seen.try_emplace(run.workers, kNone).first->second;
    if (block < last || before == block) return false;
    before = last = block;
  }
  return last >= 0;
}

/// Repeats mean runs near in time only where the rows stand that way; columns of one row do not say
/// when they were measured. Elsewhere the number is kept as what the file has beside the run.
void settle_blocks(const Roles& roles, Study& study) {
  if (!roles.repeat) return;
  const std::string name = roles.name(*roles.repeat);
  if (stand_by_block(study.runs)) {
    add_note(study, Severity::kInfo, "blocks", {}, {{"column", name}});
    return;
  }
  bool numbered = false;
  for (Run& run : study.runs) {
    if (run.block) {
      run.settings.emplace()[name] = std::to_string(*run.block);
      numbered = true;
    }
    run.block.reset();
  }
  if (numbered) add_note(study, Severity::kInfo, "run-numbers", {}, {{"column", name}});
}

/// The rate of one worker beside that of all: K times the one is the other, or that times a
/// constant (of workers in a node).
class WorkerRates {
 public:
  void see(const KnownTable& known, std::size_t row, int workers) {
    const Roles& roles = known.roles;
    if (!roles.worker_rate || roles.values.size() != 1 || worst_) return;
    const auto all = read_number(known.table.at(row, roles.values[0]), roles.comma);
    const auto one = read_number(known.table.at(row, *roles.worker_rate), roles.comma);
    if (!all || !one || !(*all > 0) || !(*one > 0)) return;
    const double ratio = *all / *one / workers;
    if (!first_) first_ = ratio;
    // Both may be rounded to three digits.
    constexpr double kRounding = 0.03;
    if (std::fabs(ratio / *first_ - 1) > kRounding) {
      worst_ = {workers, *all, *one * *first_ * workers};
    }
  }

  void add_note_to(const Roles& roles, Study& study) const {
    if (!worst_) return;
    add_note(study, Severity::kWarning, "rates-disagree", {},
             {{"column", roles.name(*roles.worker_rate)},
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
  explicit RunReader(const KnownTable& known)
      : known_(known),
        labels_(known_),
        problem_(known_),
        counted_(known.table.input.text.data()),
        study_(start_study(known.table.input.name)) {}

  Result<Study> read() {
    study_.runs.reserve(known_.roles.rows.size() * known_.roles.values.size());
    for (const std::uint32_t row : known_.roles.rows) {
      KSTAR_CHECK(take_row(row));
      if (study_.runs.size() > kMostRuns) {
        return fail(cell_error(known_.table, known_.table.at(row, 0),
                               fmt::format("the table has more than {} runs", kMostRuns)));
      }
    }
    return finish();
  }

 private:
  Result<void> take_row(std::size_t row) {
    KSTAR_TRY(const auto workers, workers_in_row(known_, row));
    if (!workers) {
      if (skipped_.count++ == 0) skipped_.first = row;
      return {};
    }
    if (sums_up(row)) {
      ++skipped_.sums;
      return {};
    }
    labels_.see(row, *workers);
    KSTAR_CHECK(problem_.see(row, *workers));
    worker_rates_.see(known_, row, *workers);
    const KnownRow known{row, *workers, problem_.is_weak(), line_of(row)};
    const std::vector<std::size_t>& values = known_.roles.values;
    for (const std::size_t value : values) {
      KSTAR_TRY(Run run, run_in(known_, known, value));
      // Fewer repeats than other rows have.
      if (values.size() > 1 && is_absent(known_.table.at(row, value))) continue;
      study_.runs.push_back(std::move(run));
    }
    return {};
  }

  /// "avg" where other rows have the number of a repeat.
  bool sums_up(std::size_t row) const {
    const auto repeat = known_.roles.repeat;
    return repeat && known_.roles.columns[*repeat].numbers > 0 &&
           holds(words_of(known_.table.at(row, *repeat)), Sense::kStatistic);
  }

  /// Lines count from 1; a row never stands before the one before it.
  std::size_t line_of(std::size_t row) {
    if (!known_.roles.base_value) return 0;
    const char* const at = known_.table.at(row, 0).data();
    if (at < counted_ || at > known_.table.input.text.data() + known_.table.input.text.size())
      return line_;
    line_ += static_cast<std::size_t>(std::count(counted_, at, '\n'));
    counted_ = at;
    return line_;
  }

  Result<Study> finish() {
    if (auto one = labels_.check_one_series(); !one) {
      if (!known_.options.claims || !known_.roles.base_value) return fail(one.error());
      add_note(study_, Severity::kWarning, "several-series");
    }
    if (study_.runs.empty()) {
      return fail(refusal(known_.table.input, "no row has a number of workers and a value"));
    }
    study_.header.title += title_of_selection(known_.roles);
    KSTAR_CHECK(problem_.finish(labels_, study_));
    settle_blocks(known_.roles, study_);
    KSTAR_CHECK(check_spread());
    worker_rates_.add_note_to(known_.roles, study_);
    note_table(known_, labels_, skipped_, problem_.is_weak(), study_);
    return std::move(study_);
  }

  /// Repeats of one job take about as long, and jobs at two K never as long to the last digit.
  Result<void> check_spread() {
    constexpr double kMost = 3;
    std::map<int, std::pair<double, double>> range;
    for (const Run& run : study_.runs) {
      if (failed(run) || run.warm_up || !run.wall) continue;
      auto& [least, most] = range.try_emplace(run.workers, *run.wall, *run.wall).first->second;
      least = std::min<double>(least, *run.wall);
      most = std::max<double>(most, *run.wall);
    }
    const bool same =
        range.size() > 1 && std::all_of(range.begin(), range.end(), [&](auto& one) {
          return one.second == range.begin()->second && one.second.first == one.second.second;
        });
    std::string meaning = same ? "a time that was measured, though it is the same at every K" : "";
    for (const auto& [workers, ends] : range) {
      if (ends.second <= kMost * ends.first) continue;
      if (const Label* text = known_.options.claims ? nullptr : labels_.text_of_rows()) {
        const std::string name = known_.roles.name(text->column);
        return fail(refusal(known_.table.input,
                            fmt::format("T differs {:.0f}-fold at K = {}, and so does '{}': the "
                                        "rows may be of different jobs",
                                        ends.second / ends.first, workers, name),
                            {offer("ignore", name, "if they are runs of one job")}));
      }
      meaning = fmt::format("that of one job, though T differs {:.0f}-fold at K = {}",
                            ends.second / ends.first, workers);
      break;
    }
    if (meaning.empty()) return {};
    add_note(study_, Severity::kWarning, "guessed", {},
             {{"column", known_.roles.name(known_.roles.values[0])}, {"meaning", meaning}});
    return {};
  }

  KnownTable known_;
  TableLabels labels_;
  TableProblem problem_;
  WorkerRates worker_rates_;
  SkippedRows skipped_;
  const char* counted_;  ///< how far lines were counted
  std::size_t line_ = 1;
  Study study_;
};

/// A time that grows from row to row is that since the start, and not that of a step.
Result<void> check_clock(const KnownTable& known) {
  constexpr std::size_t kFewSteps = 5;
  const std::size_t column = known.roles.values[0];
  double last = 0;
  std::size_t steps = 0;
  for (const std::uint32_t row : known.roles.rows) {
    const auto value = read_quantity(known.table.at(row, column), known.roles.comma);
    if (!value) continue;
    if (value->value <= last) return {};
    last = value->value;
    ++steps;
  }
  const bool told = !known.options.time_column.empty() || !known.options.rate_column.empty();
  if (steps < kFewSteps || told || known.roles.value.kind != ColumnKind::kTime) return {};
  const std::string name = known.roles.name(column);
  return fail(refusal(known.table.input,
                      fmt::format("'{}' grows from row to row: it may be the time since the "
                                  "start, and not that of a step",
                                  name),
                      {offer("time-column", name, "if each is the time of a step")}));
}

/// A table of the steps of one run, whose K the user gives.
Result<Study> one_run(const TextTable& table, const Roles& roles, const ImportOptions& options) {
  Study study = start_study(table.input.name);
  KSTAR_TRY(const int workers, workers_of_file(table.input, options, study));
  const KnownTable known{table, roles, options};
  KSTAR_CHECK(check_clock(known));
  Run run;
  run.workers = workers;
  for (const std::uint32_t row : roles.rows) {
    if (is_absent(table.at(row, roles.values[0]))) continue;
    KSTAR_TRY(const Run step, run_in(known, {row, workers, is_weak(options)}, roles.values[0]));
    if (step.wall) run.steps.push_back(*step.wall);
  }
  if (run.steps.size() == 1) {
    run.wall = run.steps[0];
    run.steps.clear();
  }
  add_note(study, Severity::kInfo, "steps", printable(table.input.name),
           {{"steps", std::max<std::size_t>(run.steps.size(), 1)},
            {"column", roles.name(roles.values[0])}});
  study.runs.push_back(std::move(run));
  if (roles.value.kind != ColumnKind::kTime) {
    say_work_of_rates(
        study, is_weak(options),
        roles.value.work.empty() ? Workload::kUnitOfRates : std::string_view(roles.value.work));
  }
  return study;
}

/// How many tables fit so well, the best among them first.
std::vector<std::size_t> fitting(const std::vector<TextTable>& tables,
                                 const ImportOptions& options) {
  std::vector<std::size_t> best;
  int most = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto turned = with_k_in_rows(tables[i], options);
    const int fit = turned ? fits(*turned, options) : 0;
    if (fit < most) continue;
    if (fit > most) best.clear();
    most = fit;
    best.push_back(i);
  }
  return best;
}

}  // namespace

Result<Study> read_runs(const TextTable& table, const Roles& roles, const ImportOptions& options) {
  return RunReader({table, roles, options}).read();
}

Result<Study> study_of_table(const TextTable& table, const ImportOptions& options) {
  KSTAR_TRY(const Roles roles, roles_of(table, options));
  if (roles.workers.empty()) return one_run(table, roles, options);
  return read_runs(table, roles, options);
}

Result<TextTable> chosen_table(const Input& input, std::vector<TextTable> tables,
                               const ImportOptions& options) {
  if (options.table) {
    const int count = static_cast<int>(tables.size());
    if (*options.table > count) {
      return fail(expected("--table",
                           fmt::format("a number from 1 to {}: {} has {}", count,
                                       printable(input.name), count_text(tables.size(), "table")),
                           std::to_string(*options.table)));
    }
    return with_k_in_rows(std::move(tables[static_cast<std::size_t>(*options.table - 1)]), options);
  }
  if (tables.size() == 1) return with_k_in_rows(std::move(tables[0]), options);
  const std::vector<std::size_t> best = fitting(tables, options);
  if (best.size() == 1) {
    TextTable table = std::move(tables[best[0]]);
    table.others = tables.size() - 1;
    return with_k_in_rows(std::move(table), options);
  }
  Error error = refusal(
      input, fmt::format("it contains {} tables, and {} may be meant", tables.size(), best.size()));
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(best.size(), kShown); ++i) {
    const TextTable& table = tables[best[i]];
    const std::string names = fmt::format("{}", fmt::join(table.names, ", "));
    const std::string title = table.heading.empty() ? names : table.heading + ": " + names;
    error.offers.push_back(offer("table", std::to_string(best[i] + 1),
                                 fmt::format("for {}", shorten(printable(title), 60))));
  }
  if (best.size() > kShown) error.hint = fmt::format("so are {} others", best.size() - kShown);
  return fail(std::move(error));
}

namespace {

Result<ImportedSeries> series_of_table(const TextTable& table, const ImportOptions& options) {
  constexpr std::size_t kMostSeries = 10'000;
  std::vector<std::size_t> columns;
  for (const std::string& name : options.series) {
    const std::size_t column = column_index(table.names, name);
    if (column == std::string::npos) {
      return fail(expected("--series",
                           fmt::format("a column of {} ({})", printable(table.input.name),
                                       printable(fmt::format("{}", fmt::join(table.names, ", ")))),
                           name));
    }
    columns.push_back(column);
  }
  std::map<std::vector<Cell>, std::size_t> places;
  std::vector<std::pair<std::string, TextTable>> parts;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<Cell> values;
    for (const std::size_t column : columns) values.push_back(table.at(row, column));
    const auto [place, is_new] = places.try_emplace(values, parts.size());
    if (is_new) {
      if (parts.size() == kMostSeries) {
        return fail(
            {.where = "--series",
             .message = fmt::format("more than {} series: the column is no label", kMostSeries)});
      }
      std::string name;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        name += fmt::format("{}{}={}", i == 0 ? "" : ", ", table.names[columns[i]],
                            cell_text(values[i]));
      }
      parts.emplace_back(name, table.without_rows());
    }
    parts[place->second].second.copy_row(table, row);
  }
  ImportedSeries found;
  for (const auto& [name, part] : parts) {
    Result<Study> study = study_of_table(part, options);
    const bool timed = study && std::any_of(study->runs.begin(), study->runs.end(), counts);
    if (study && timed) {
      study->header.title += ": " + printable(name);
      study->name = name;
      found.studies.push_back(std::move(*study));
    } else {
      Error error =
          study ? Error{.where = "", .message = "no run in it has a time"} : study.error();
      error.where = printable(name);
      found.refused.push_back(std::move(error));
    }
  }
  if (found.studies.empty() && !found.refused.empty()) return fail(found.refused.front());
  return found;
}

}  // namespace

Result<ImportedSeries> read_series(const Importer& importer, Reader& reader,
                                   const ImportOptions& options) {
  KSTAR_TRY(const Input input, reader.whole());
  KSTAR_TRY(const TextTable table, importer.table(input, options));
  return series_of_table(table, options);
}

}  // namespace kstar
