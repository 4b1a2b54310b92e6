#include "import/csv/row.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

/// What to write instead of a time or a number that is not read.
std::string hint_for(Cell cell, bool is_time) {
  if (is_time && is_unclear_clock(cell)) {
    return "ambiguous: minutes and seconds, or hours and minutes; write 0:10:30, 10m30s or seconds";
  }
  const auto quantity = read_quantity(cell, Comma::kThousands);
  if (quantity && !is_time && is_shortened(*quantity)) {
    return "write the number out, as in 12300 for 12.3k";
  }
  return {};
}

/// 0 is a good exit code (of Slurm: 0:0), and no success.
bool says_success(std::string_view column, std::string_view cell) {
  const std::string status = lower_case(cell);
  const bool asks = lower_case(column).find("success") != std::string::npos;
  for (const std::string_view good : {"success", "successful", "succeeded", "ok", "pass", "passed",
                                      "done", "true", "yes", "completed", "complete", "finished"}) {
    if (status == good) return true;
  }
  if (asks) return status.empty() || status == "1";
  return status.empty() || status == "0" || status == "0:0";
}

/// A Study keeps seconds. X units of work a second are 1/X seconds for one; where the work grows
/// with K, K/X for K of them. A speedup is a rate in units of the base's.
double seconds_of_rate(const CsvTable& table, const CsvRow& row, double value, int workers) {
  const ColumnKind kind = table.columns.value.kind;
  const bool of_one = kind == ColumnKind::kWorkerRate || kind == ColumnKind::kEfficiency;
  const double rate = of_one ? value * workers : value;
  return (row.weak ? workers : 1) / rate;
}

Result<void> read_value(const CsvTable& table, const CsvRow& row, std::size_t column, Run& run) {
  if (is_absent(row.cells[column])) {
    run.failure = "the table has no value for it";
    return {};
  }
  if (is_failure(row.cells[column])) {
    run.failure = std::string(row.cells[column]);
    return {};
  }
  const bool is_time = table.columns.value.kind == ColumnKind::kTime;
  const auto value =
      read_amount(table, row.cells[column],
                  {.scale = table.columns.value.scale, .is_time = is_time, .positive = true});
  if (!value) return fail(value.error());
  run.wall = is_time ? *value : seconds_of_rate(table, row, *value, run.workers);
  if (!std::isfinite(*run.wall) || *run.wall <= 0) {
    return fail(
        expected_at(table.input, row.cells[column], "a value that can be converted to seconds"));
  }
  return {};
}

Result<void> read_parts(const CsvTable& table, const CsvRow& row, Run& run) {
  const std::pair<const std::vector<std::size_t>*, std::vector<double> PerWorker::*> parts[] = {
      {&table.columns.compute, &PerWorker::compute},
      {&table.columns.communicate, &PerWorker::communicate},
      {&table.columns.wait, &PerWorker::wait},
      {&table.columns.work, &PerWorker::work}};
  for (const auto& [list, member] : parts) {
    for (const std::size_t column : *list) {
      if (is_absent(row.cells[column])) continue;
      KSTAR_TRY(const auto value, read_amount(table, row.cells[column],
                                              {.scale = table.survey.columns[column].says.scale,
                                               .is_time = member != &PerWorker::work}));
      auto& into = run.per_worker.emplace().*member;
      if (into.size() == static_cast<std::size_t>(run.workers)) {
        return fail(
            error_at(table.input, row.cells[column].data(),
                     fmt::format("the row has {} workers and values for more", run.workers)));
      }
      into.push_back(value);
    }
  }
  return {};
}

Result<void> read_work(const CsvTable& table, const CsvRow& row, Run& run) {
  const CsvColumns& columns = table.columns;
  if (!columns.converged || is_absent(row.cells[*columns.converged])) return {};
  KSTAR_TRY(const auto amount, read_amount(table, row.cells[*columns.converged]));
  double size = 1;
  if (table.counts_samples() && !is_absent(row.cells[*columns.size])) {
    KSTAR_TRY(const auto data, read_amount(table, row.cells[*columns.size]));
    size = data;
  }
  const double work = amount * size;
  if (std::isfinite(work) && work > 0) run.work = work;
  return {};
}

/// What the claims of this row are against, where the row has it.
std::optional<ClaimBase> base_of_claim(const CsvTable& table, const CsvRow& row) {
  if (!table.columns.base_value) return {};
  const auto workers = read_number(row.cells[*table.columns.base_workers], table.columns.comma);
  const auto value = read_number(row.cells[*table.columns.base_value], table.columns.comma);
  if (!workers || !value || !(*workers >= 1) || !(*workers <= kMostWorkers) || !(*value > 0)) {
    return {};
  }
  const double amount = *value * table.columns.base_scale;
  const double seconds = table.columns.value.kind == ColumnKind::kTime
                             ? amount
                             : seconds_of_rate(table, row, amount, static_cast<int>(*workers));
  if (!std::isfinite(seconds) || !(seconds > 0)) return {};
  return ClaimBase{.workers = static_cast<int>(*workers), .seconds = seconds};
}

/// The ranks of a hybrid run, a node each where nodes are known, and the threads of a rank.
void set_threads(const CsvTable& table, const CsvRow& row, Run& run) {
  if (!table.columns.threads) return;
  const auto threads = read_number(row.cells[*table.columns.threads], table.columns.comma);
  if (!threads || !(*threads > 1) || std::fmod(run.workers, *threads) != 0) return;
  run.threads = static_cast<int>(*threads);
  run.ranks = run.workers / *run.threads / run.nodes.value_or(1);
}

/// What a table says of S and E beside its times: a claim to check, no sample.
void keep_claims(const CsvTable& table, const CsvRow& row, Run& run) {
  RunClaim claim;
  const auto keep = [&](const std::optional<std::size_t>& column, std::optional<double>& into) {
    if (!column) return;
    const auto value = read_quantity(row.cells[*column], table.columns.comma);
    if (!value) return;
    const double scale = table.survey.columns[*column].says.scale;
    const double claimed = value->unit == "%" ? value->value / 100 : value->value * scale;
    if (std::isfinite(claimed)) into = claimed;
  };
  keep(table.columns.speedup, claim.speedup);
  keep(table.columns.efficiency, claim.efficiency);
  if (!claim.speedup && !claim.efficiency) return;
  claim.base = base_of_claim(table, row);
  if (claim.base) claim.line = static_cast<int>(row.line);
  run.claim.emplace() = std::move(claim);
}

/// What a tool found inside the run.
void keep_factors(const CsvTable& table, const CsvRow& row, Run& run) {
  for (const PopColumn& one : table.columns.pop) {
    const auto value = read_quantity(row.cells[one.column], table.columns.comma);
    if (!value || !(value->value > 0)) continue;
    const double factor = value->value * (value->unit == "%" ? 0.01 : one.scale);
    if (!run.factors) run.factors.emplace();
    (*run.factors)[std::string(one.factor)] = factor;
  }
}

}  // namespace

Result<int> read_workers(const CsvTable& table, const CsvRow& row) {
  double workers = 1;
  for (const std::size_t column : table.columns.workers) {
    const Cell cell = row.cells[column];
    const auto number = read_number(cell, table.columns.comma);
    workers *= number.value_or(0);
    if (!number || *number < 1 || workers > kMostWorkers || *number != std::floor(*number)) {
      const bool one = table.columns.workers.size() == 1;
      return fail(
          expected_at(table.input, cell, "a whole number of workers from 1 to 1e9",
                      fmt::format("the column '{}' is used as {}; --k-column selects another",
                                  table.name(column), one ? "K" : "a factor of K")));
    }
  }
  return static_cast<int>(workers);
}

Result<double> read_amount(const CsvTable& table, Cell cell, const Amount& amount) {
  const bool is_time = amount.is_time;
  const std::string what = fmt::format("a {} {}", is_time ? "time" : "number",
                                       amount.positive ? "above 0" : "of 0 or more");
  if (is_time) {
    if (const auto seconds = read_clock(cell); seconds && (*seconds > 0 || !amount.positive)) {
      return *seconds;
    }
  }
  const auto quantity = read_quantity(cell, table.columns.comma);
  if (!quantity || quantity->value < 0 || (amount.positive && quantity->value == 0)) {
    return fail(expected_at(table.input, cell, what, hint_for(cell, is_time)));
  }
  double factor = amount.scale;
  if (!quantity->unit.empty()) {
    const auto unit = is_time ? seconds_in_unit(quantity->unit) : std::nullopt;
    const bool percent = !is_time && quantity->unit == "%";
    const bool times = !is_time && (quantity->unit == "x" || quantity->unit == "X");
    if (!unit && !percent && !times) {
      return fail(expected_at(table.input, cell, what, hint_for(cell, is_time)));
    }
    factor = unit ? *unit : percent ? 0.01 : 1;
  }
  const double value = quantity->value * factor;
  if (!std::isfinite(value)) return fail(expected_at(table.input, cell, what));
  return value;
}

Result<Run> read_run(const CsvTable& table, const CsvRow& row, int workers, std::size_t column) {
  Run run;
  run.workers = workers;
  KSTAR_CHECK(read_value(table, row, column, run));
  KSTAR_CHECK(read_parts(table, row, run));
  KSTAR_CHECK(read_work(table, row, run));
  for (const std::size_t status : table.columns.statuses) {
    if (says_success(table.name(status), row.cells[status])) continue;
    run.failure =
        fmt::format("{}: {}", table.name(status), shorten(printable(row.cells[status]), 200));
    break;
  }
  if (table.columns.repeat) {
    const auto repeat = parse_double(row.cells[*table.columns.repeat]);
    if (repeat && *repeat >= 0 && *repeat < 1e9 && *repeat == std::floor(*repeat)) {
      run.block = static_cast<int>(*repeat);
    }
  }
  if (table.columns.nodes) {
    const auto nodes = read_number(row.cells[*table.columns.nodes], table.columns.comma);
    const bool fits = nodes && *nodes >= 1 && *nodes <= workers && std::fmod(workers, *nodes) == 0;
    if (fits && *nodes < workers) {
      run.nodes = static_cast<int>(*nodes);
      run.ranks = workers / *run.nodes;
    }
  }
  set_threads(table, row, run);
  keep_claims(table, row, run);
  keep_factors(table, row, run);
  return run;
}

}  // namespace kstar
