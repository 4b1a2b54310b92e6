#include "import/csv/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_document.h"
#include "base/product.h"
#include "base/try.h"
#include "import/csv/name_words.h"
#include "import/csv/row.h"
#include "import/join.h"

namespace kstar {

namespace {

bool is_setting(const ColumnFacts& column) {
  return column.says.kind == ColumnKind::kBuild || names_setting(column.name);
}

bool is_unknown(const ColumnFacts& column) {
  const ColumnKind kind = column.says.kind;
  return kind == ColumnKind::kOther || kind == ColumnKind::kSetting;
}

/// Numbers under a name that nobody knows (4096, 64x64) in proportion to K, or their squares or
/// cubes: the problem may grow by them. What was measured is no whole number, and seldom exact.
bool grows_as_workers(const std::map<int, std::string_view>& at) {
  constexpr std::size_t kFewPoints = 3;
  constexpr double kRounding = 0.05, kExact = 0.005;
  if (at.size() < kFewPoints) return false;
  const auto first = parse_product(at.begin()->second);
  if (!first || !(*first > 0)) return false;
  for (const double power : {1.0, 2.0, 3.0}) {
    const bool grows = std::all_of(at.begin(), at.end(), [&](const auto& entry) {
      const auto value = parse_product(entry.second);
      if (!value) return false;
      const double workers = static_cast<double>(entry.first) / at.begin()->first;
      const double off = std::fabs(std::pow(*value / *first, power) / workers - 1);
      return off <= (*value == std::floor(*value) ? kRounding : kExact);
    });
    if (grows) return true;
  }
  return false;
}

/// Whether it is the same at every K.
bool is_one_value(const std::map<int, std::string_view>& at) {
  return std::all_of(at.begin(), at.end(),
                     [&](const auto& entry) { return entry.second == at.begin()->second; });
}

}  // namespace

Result<void> CsvProblem::see(const std::vector<Cell>& cells, int workers) {
  const CsvColumns& columns = table_.columns;
  if (columns.regime) regime_ = regime_named(cells[*columns.regime]);
  if (!columns.size && !columns.batch && !columns.converged && !columns.steps && !columns.epochs) {
    return {};
  }
  Workload& problem = problems_[workers];
  problem.workers = workers;
  if (auto done = see_amounts(cells, problem); !done) return done;
  return see_steps(cells, problem);
}

Result<void> CsvProblem::see_amounts(const std::vector<Cell>& cells, Workload& problem) {
  const auto& converged = table_.columns.converged;
  if (converged) {
    problem.unit =
        table_.counts_samples() ? "samples" : table_.survey.columns[*converged].says.work;
    problem.stopping = "when it has converged";
  }
  const auto keep = [&](const std::optional<std::size_t>& column, std::optional<double>& into) {
    if (!column || is_absent(cells[*column])) return Result<void>{};
    const auto value = read_amount(table_, cells[*column]);
    if (!value) return Result<void>(fail(value.error()));
    into = *value;
    return Result<void>{};
  };
  if (auto done = keep(table_.columns.size, problem.size); !done) return done;
  if (auto done = keep(table_.columns.batch, problem.batch); !done) return done;
  multiply(cells, table_.columns.size, table_.columns.parts_of_size, problem.size,
           *problem.workers);
  multiply(cells, table_.columns.batch, table_.columns.parts_of_batch, problem.batch,
           *problem.workers);
  return {};
}

void CsvProblem::multiply(const std::vector<Cell>& cells, const std::optional<std::size_t>& column,
                          const std::optional<std::size_t>& parts, std::optional<double>& amount,
                          int workers) const {
  if (!column || !amount || !table_.is_of_one_worker(*column)) return;
  const auto count = parts ? read_number(cells[*parts], table_.columns.comma) : std::nullopt;
  *amount *= count.value_or(workers);
  if (!std::isfinite(*amount)) amount.reset();
}

Result<void> CsvProblem::see_steps(const std::vector<Cell>& cells, Workload& problem) {
  constexpr double kMostSteps = 1e15;
  if (const auto& column = table_.columns.steps; column && !is_absent(cells[*column])) {
    KSTAR_TRY(const auto steps, read_amount(table_, cells[*column]));
    const auto count = static_cast<std::int64_t>(std::min(steps, kMostSteps));
    unsteady_ = unsteady_ || (problem.steps && *problem.steps != count);
    problem.steps = count;
  }
  if (const auto& column = table_.columns.epochs; column && !is_absent(cells[*column])) {
    const auto epochs = read_amount(table_, cells[*column]);
    if (!epochs) return fail(epochs.error());
    unsteady_ = unsteady_ || (problem.size && *problem.size != *epochs);
    problem.size = *epochs;
    problem.unit = "epochs";
  }
  return {};
}

bool CsvProblem::is_weak() const {
  return regime_ == Regime::kWeak || table_.options.regime == Regime::kWeak;
}

void CsvProblem::finish(const CsvLabels& labels, Study& study) {
  if (regime_) {
    study.header.regime = regime_;
  } else if (table_.columns.value.kind != ColumnKind::kTime) {
    study.header.regime = Regime::kThroughput;
  }
  if (unsteady_) drop_unsteady(study);
  if (table_.columns.value.kind != ColumnKind::kTime) say_work_of_rates(study);
  keep_settings(labels, study);
  std::vector<Workload> problems;
  for (const auto& [workers, problem] : problems_) problems.push_back(problem);
  study.header.workload = workload_list(std::move(problems));
}

/// What differs between runs of one K was measured, and is not what the job was.
void CsvProblem::drop_unsteady(Study& study) {
  const CsvColumns& columns = table_.columns;
  for (auto& [workers, problem] : problems_) {
    problem.steps.reset();
    if (!columns.epochs) continue;
    problem.size.reset();
    problem.unit.clear();
  }
  if (!columns.size && !columns.batch && !columns.converged) problems_.clear();
  add_note(study, Severity::kWarning, "left-out", {},
           {{"column", table_.name(columns.steps ? *columns.steps : *columns.epochs)}});
}

void CsvProblem::keep_settings(const CsvLabels& labels, Study& study) {
  for (const CsvLabel& label : labels.all()) {
    const ColumnFacts& column = table_.survey.columns[label.column];
    if (label.changes_at_one_k) continue;
    if (!is_setting(column) && !(is_unknown(column) && grows_as_workers(label.at))) continue;
    for (const auto& [workers, cell] : label.at) {
      if (is_absent(cell)) continue;
      Workload& problem = problems_[workers];
      problem.workers = workers;
      problem.settings[column.name] = cell_text(cell);
    }
    if (column.says.kind == ColumnKind::kBuild && is_one_value(label.at)) {
      study.header.environment.versions[column.name] = cell_text(label.at.begin()->second);
    }
  }
}

void CsvProblem::say_work_of_rates(const Study& study) {
  if (!problems_.empty()) {
    // A batch stands beside the rate: what the rate counts stays known.
    const ColumnKind kind = table_.columns.value.kind;
    if (kind != ColumnKind::kRate && kind != ColumnKind::kWorkerRate) return;
    for (auto& [workers, problem] : problems_) {
      if (problem.unit.empty()) problem.unit = unit_of_work();
    }
    return;
  }
  for (const Run& run : study.runs) {
    problems_[run.workers] = {
        .workers = run.workers, .size = is_weak() ? run.workers : 1, .unit = unit_of_work()};
  }
}

std::string CsvProblem::unit_of_work() const {
  if (table_.columns.value.kind == ColumnKind::kSpeedup ||
      table_.columns.value.kind == ColumnKind::kEfficiency) {
    return "jobs, in times of the base";
  }
  return table_.columns.value.work.empty() ? "units of the rate" : table_.columns.value.work;
}

}  // namespace kstar
