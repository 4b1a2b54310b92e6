#include "import/csv/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/name_table.h"
#include "import/offers.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

/// A Study keeps seconds. X units of work per second are 1/X seconds for one; where the work grows
/// with K, K/X for K of them. A speedup is a rate in units of the base's.
double seconds_for_work(const KnownTable& known, const KnownRow& row, double value, int workers) {
  const ColumnKind kind = known.roles.value.kind;
  const bool of_one = kind == ColumnKind::kWorkerRate || kind == ColumnKind::kEfficiency;
  const double rate = of_one ? value * workers : value;
  return (row.weak ? workers : 1) / rate;
}

/// The unit of the values, which may have a column of its own.
Result<double> scale_of_row(const KnownTable& known, std::size_t row) {
  const Roles& roles = known.roles;
  if (!roles.unit) return roles.value.scale;
  const Cell cell = known.table.at(row, *roles.unit);
  const auto seconds = seconds_in_written_unit(cell);
  if (seconds && (roles.value.unit == 0 || roles.value.unit == *seconds)) return *seconds;
  Error error = unexpected_cell(
      known.table, cell,
      seconds ? "the unit in the name of the column of times" : "a unit of time (s, ms, min ...)");
  error.offers = {offer("ignore", roles.name(*roles.unit),
                        fmt::format("if that is no unit of '{}'", roles.name(roles.values[0])))};
  return fail(std::move(error));
}

Result<void> set_value(const KnownTable& known, const KnownRow& row, std::size_t column, Run& run) {
  const Cell cell = known.table.at(row.row, column);
  if (is_absent(cell)) {
    run.failure = "the table has no value for it";
    return {};
  }
  if (is_failure(cell)) {
    run.failure = std::string(cell);
    return {};
  }
  const bool is_time = known.roles.value.kind == ColumnKind::kTime;
  KSTAR_TRY(const double scale, scale_of_row(known, row.row));
  KSTAR_TRY(const double value, amount_in(known, cell,
                                          {.scale = scale,
                                           .is_time = is_time,
                                           .positive = true,
                                           .clock = known.roles.value.clock}));
  run.wall = is_time ? value : seconds_for_work(known, row, value, run.workers);
  if (!std::isfinite(*run.wall) || *run.wall <= 0) {
    return fail(unexpected_cell(known.table, cell, "a value that can be converted to seconds"));
  }
  return {};
}

Result<void> set_worker_parts(const KnownTable& known, const KnownRow& row, Run& run) {
  const std::pair<const std::vector<std::size_t>*, std::vector<double> PerWorker::*> parts[] = {
      {&known.roles.compute, &PerWorker::compute},
      {&known.roles.communicate, &PerWorker::communicate},
      {&known.roles.wait, &PerWorker::wait},
      {&known.roles.work, &PerWorker::work}};
  for (const auto& [list, member] : parts) {
    for (const std::size_t column : *list) {
      const Cell cell = known.table.at(row.row, column);
      if (is_absent(cell)) continue;
      KSTAR_TRY(const auto value, amount_in(known, cell,
                                            {.scale = known.roles.columns[column].says.scale,
                                             .is_time = member != &PerWorker::work}));
      auto& into = run.per_worker.emplace().*member;
      if (into.size() == static_cast<std::size_t>(run.workers)) {
        return fail(
            cell_error(known.table, cell,
                       fmt::format("the row has {} workers and values for more", run.workers)));
      }
      into.push_back(value);
    }
  }
  return {};
}

Result<void> set_work(const KnownTable& known, const KnownRow& row, Run& run) {
  const Roles& roles = known.roles;
  if (!roles.converged || is_absent(known.table.at(row.row, *roles.converged))) return {};
  KSTAR_TRY(const auto amount, amount_in(known, known.table.at(row.row, *roles.converged)));
  double size = 1;
  if (roles.counts_samples() && !is_absent(known.table.at(row.row, roles.sizes[0]))) {
    KSTAR_TRY(size, amount_in(known, known.table.at(row.row, roles.sizes[0])));
  }
  const double work = amount * size;
  if (std::isfinite(work) && work > 0) run.work = work;
  return {};
}

std::optional<double> number_in(const KnownTable& known, std::size_t row,
                                const std::optional<std::size_t>& column) {
  if (!column) return {};
  const auto quantity = read_quantity(known.table.at(row, *column), known.roles.comma);
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

/// What the claims of this row are against, where the row has it.
std::optional<ClaimBase> base_of_claim(const KnownTable& known, const KnownRow& row) {
  if (!known.roles.base_value) return {};
  const auto workers = number_in(known, row.row, known.roles.base_workers);
  const auto value = number_in(known, row.row, known.roles.base_value);
  if (!workers || !value || !(*workers >= 1) || !(*workers <= kMostWorkers) || !(*value > 0)) {
    return {};
  }
  const double amount = *value * known.roles.columns[*known.roles.base_value].says.scale;
  const double seconds = known.roles.value.kind == ColumnKind::kTime
                             ? amount
                             : seconds_for_work(known, row, amount, static_cast<int>(*workers));
  if (!std::isfinite(seconds) || !(seconds > 0)) return {};
  return ClaimBase{.workers = static_cast<int>(*workers), .seconds = seconds};
}

/// What a table says of S and E beside its times: a claim to check, no sample.
void set_claims(const KnownTable& known, const KnownRow& row, Run& run) {
  RunClaim claim;
  const auto keep = [&](const std::optional<std::size_t>& column, std::optional<double>& into) {
    if (!column) return;
    const auto value = read_quantity(known.table.at(row.row, *column), known.roles.comma);
    if (!value) return;
    const double scale = known.roles.columns[*column].says.scale;
    // "100% (baseline)"
    const bool percent = value->unit.starts_with('%');
    const double claimed = percent ? value->value / 100 : value->value * scale;
    if (std::isfinite(claimed)) into = claimed;
  };
  keep(known.roles.speedup, claim.speedup);
  keep(known.roles.efficiency, claim.efficiency);
  if (!claim.speedup && !claim.efficiency) return;
  claim.base = base_of_claim(known, row);
  if (claim.base) claim.line = static_cast<int>(row.line);
  run.claim.emplace() = std::move(claim);
}

/// What a tool found inside the run.
void set_factors(const KnownTable& known, const KnownRow& row, Run& run) {
  for (const auto& [column, scale] : known.roles.factors) {
    const auto value = read_quantity(known.table.at(row.row, column), known.roles.comma);
    if (!value || !(value->value > 0)) continue;
    if (!run.factors) run.factors.emplace();
    (*run.factors)[known.roles.columns[column].says.factor] =
        value->value * (value->unit == "%" ? 0.01 : scale);
  }
}

void set_layout(const KnownTable& known, const KnownRow& row, Run& run) {
  const auto nodes = number_in(known, row.row, known.roles.nodes);
  const bool fits = nodes && *nodes >= 1 && *nodes < run.workers && *nodes == std::floor(*nodes) &&
                    std::fmod(run.workers, *nodes) == 0;
  if (fits) {
    run.nodes = static_cast<int>(*nodes);
    run.ranks = run.workers / *run.nodes;
  }
  // The ranks of a hybrid run, a node each where nodes are known, and the threads of a rank.
  const auto threads = number_in(known, row.row, known.roles.threads);
  if (!threads || !(*threads > 1) || std::fmod(run.workers, *threads) != 0) return;
  run.threads = static_cast<int>(*threads);
  run.ranks = run.workers / *run.threads / run.nodes.value_or(1);
}

/// What to write instead of a time or a number that is not read.
std::string hint_for_cell(Cell cell, bool is_time) {
  if (is_time && is_unclear_clock(cell)) {
    return "ambiguous: minutes and seconds, or hours and minutes; write 0:10:30, 10m30s or seconds";
  }
  return {};
}

/// What is no number of workers may not be K: other columns are.
Error no_count(const KnownTable& known, std::size_t column, Cell cell) {
  const Roles& roles = known.roles;
  Error error = unexpected_cell(known.table, cell, "a whole number of workers from 1 to 1e9",
                                fmt::format("the column '{}' is used as {}", roles.name(column),
                                            roles.workers.size() == 1 ? "K" : "a factor of K"));
  for (std::size_t i = 0; i < roles.columns.size(); ++i) {
    const ColumnKind kind = roles.columns[i].says.kind;
    const bool counts = kind == ColumnKind::kWorkers || kind == ColumnKind::kWorkersIn;
    if (!counts || std::count(roles.workers.begin(), roles.workers.end(), i) > 0) continue;
    error.offers.push_back(offer("k-column", roles.name(i), "if that is K"));
  }
  return error;
}

}  // namespace

bool is_computed(std::string_view column, double number) {
  const bool code = number == std::floor(number) && std::fabs(number) <= 255;
  return !code && holds(words_of(column), "result");
}

bool says_failure(std::string_view column, std::string_view cell) {
  const std::string status = lower_case(cell);
  const Words asked = words_of(column), words = words_of(status);
  const bool asks = holds(asked, Sense::kGood);
  if (holds(words, Sense::kFailed) || (holds(words, "out") && holds(words, "memory"))) return true;
  const auto number = parse_double(status);
  // A number that is neither may be how well it did; 0 is a good exit code (of Slurm: 0:0).
  if (number) return asks ? *number == 0 : *number != 0 && !is_computed(column, *number);
  if (asks) return status == "false" || status == "no" || status == "f" || status == "n";
  return status != "0:0" && status.find(':') != std::string::npos && is_digit(status[0]);
}

Result<std::optional<int>> workers_in_row(const KnownTable& known, std::size_t row) {
  double workers = 1;
  for (const std::size_t column : known.roles.workers) {
    const Cell cell = known.table.at(row, column);
    const auto quantity = read_quantity(cell, known.roles.comma);
    const std::string lower = quantity ? std::string() : lower_case(cell);
    // "1_seq" and "1 (serial)" are another program, as a bare "serial" is.
    if (is_absent(cell) || names_serial(quantity ? quantity->unit : std::string_view(lower))) {
      return std::optional<int>();
    }
    const bool counted =
        quantity && (counts_workers(quantity->unit) || is_times_sign(quantity->unit) ||
                     !counted_thing(quantity->unit).empty());
    if (quantity && !quantity->unit.empty() && !counted &&
        known.roles.columns[column].numbers > 0) {
      return fail(cell_error(
          known.table, cell,
          fmt::format("'{}' is more than a number of workers: nobody knows what '{}' changes",
                      printable(cell), printable(quantity->unit)),
          is_shortened(*quantity) ? "write the whole number: 1000 for 1k"
                                  : "write the number alone, and what else differs between the "
                                    "rows in another column"));
    }
    const double number = quantity ? quantity->value : 0;
    workers *= number;
    if (number < 1 || workers > kMostWorkers || number != std::floor(number) ||
        (!quantity->unit.empty() && known.roles.columns[column].numbers == 0)) {
      return fail(no_count(known, column, cell));
    }
  }
  return std::optional(static_cast<int>(workers));
}

Result<double> amount_in(const KnownTable& known, Cell cell, const Amount& amount) {
  const bool is_time = amount.is_time;
  const auto refuse = [&] {
    const std::string what = fmt::format("a {} {}", is_time ? "time" : "number",
                                         amount.positive ? "above 0" : "of 0 or more");
    return fail(unexpected_cell(known.table, cell, what, hint_for_cell(cell, is_time)));
  };
  const auto in_clock = [](char c) {
    return c == ':' || c == 'h' || c == 'd' || c == 'm' || c == 's';
  };
  if (is_time && std::any_of(cell.begin(), cell.end(), in_clock)) {
    const auto seconds = amount.clock > 0 ? read_clock(cell, amount.clock) : read_clock(cell);
    if (seconds && (*seconds > 0 || !amount.positive)) {
      return *seconds;
    }
  }
  const auto quantity = read_quantity(cell, known.roles.comma);
  if (!quantity || quantity->value < 0 || (amount.positive && quantity->value == 0))
    return refuse();
  double factor = amount.scale;
  if (!quantity->unit.empty()) {
    if (is_time) {
      const auto unit = seconds_in_written_unit(quantity->unit);
      if (!unit) return refuse();
      factor = *unit;
    } else if (quantity->unit == "%") {
      factor = 0.01;
    } else if (is_times_sign(quantity->unit)) {
      factor = 1;
    } else if (is_shortened(*quantity)) {
      factor *= shortened_by(*quantity);
    } else if (const auto rate = per_second(quantity->unit)) {
      factor *= prefix_of_rate(quantity->unit).first * *rate;
    } else {
      return refuse();
    }
  }
  const double value = quantity->value * factor;
  if (!std::isfinite(value)) return refuse();
  return value;
}

Result<Run> run_in(const KnownTable& known, const KnownRow& row, std::size_t column) {
  Run run;
  run.workers = row.workers;
  KSTAR_CHECK(set_value(known, row, column, run));
  KSTAR_CHECK(set_worker_parts(known, row, run));
  KSTAR_CHECK(set_work(known, row, run));
  for (const std::size_t status : known.roles.statuses) {
    const Cell cell = known.table.at(row.row, status);
    if (!says_failure(known.roles.name(status), cell)) continue;
    run.failure = fmt::format("{}: {}", known.roles.name(status), shorten(printable(cell), 200));
    break;
  }
  const Cell number = known.roles.repeat ? known.table.at(row.row, *known.roles.repeat) : Cell();
  if (!number.empty() && !is_digit(number[0])) {
    const Words words = words_of(number);
    run.warm_up = holds(words, "warmup") || (holds(words, "warm") && holds(words, "up"));
  }
  const auto repeat = number_in(known, row.row, known.roles.repeat);
  if (repeat && *repeat >= 0 && *repeat < 1e9 && *repeat == std::floor(*repeat)) {
    run.block = static_cast<int>(*repeat);
  }
  set_layout(known, row, run);
  set_claims(known, row, run);
  set_factors(known, row, run);
  return run;
}

}  // namespace kstar
