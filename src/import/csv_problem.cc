#include "import/csv_problem.h"

#include <algorithm>

#include "import/csv_row.h"

namespace kstar {

Result<void> CsvProblem::see(const std::vector<Cell>& cells, int workers) {
  if (table_.columns.regime) regime_ = regime_named(cells[*table_.columns.regime]);
  const auto& converged = table_.columns.converged;
  if (!table_.columns.size && !table_.columns.batch && !converged) return {};
  Workload& problem = problems_[workers];
  problem.workers = workers;
  if (converged) {
    problem.unit =
        table_.counts_samples() ? "samples" : table_.survey.columns[*converged].says.work;
    problem.stopping = "when it has converged";
  }
  const auto keep = [&](const std::optional<std::size_t>& column, std::optional<double>& into) {
    if (!column || is_absent(cells[*column])) return Result<void>{};
    const auto value = read_amount(table_, cells[*column], 1, false);
    if (!value) return Result<void>(fail(value.error()));
    into = *value;
    return Result<void>{};
  };
  if (auto done = keep(table_.columns.size, problem.size); !done) return done;
  return keep(table_.columns.batch, problem.batch);
}

bool CsvProblem::is_weak() const {
  return regime_ == Regime::kWeak || table_.options.regime == Regime::kWeak;
}

void CsvProblem::finish(Study& study) {
  if (regime_) {
    study.header.regime = regime_;
  } else if (table_.columns.value.kind != ColumnKind::kTime) {
    study.header.regime = Regime::kThroughput;
  }
  if (problems_.empty() && table_.columns.value.kind != ColumnKind::kTime) {
    if (!is_weak()) {
      study.header.workload.push_back({.size = 1, .unit = unit_of_work()});
      return;
    }
    for (const Run& run : study.runs) {
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
    study.header.workload.push_back(problem);
    if (!same) continue;
    study.header.workload.back().workers.reset();
    break;
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
