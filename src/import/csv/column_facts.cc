#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/number.h"
#include "base/product.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/name_table.h"
#include "import/csv/role_step.h"
#include "import/csv/rows.h"
#include "kstar/regime.h"

namespace kstar {

namespace {

/// No share of a whole, and no efficiency.
constexpr double kFarAboveOne = 1.5;

/// "12.3 ms", "85%" and "3.2x" are numbers; "2016-12-28" is none.
bool has_known_unit(const WrittenQuantity& quantity) {
  return quantity.unit.empty() || quantity.unit == "%" || is_times_sign(quantity.unit) ||
         seconds_in_written_unit(quantity.unit);
}

void look_at_point(Cell cell, Column& column) {
  if (column.decimal_point) return;  // nothing is unclear any more
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos || cell.find(',') != std::string_view::npos) return;
  // A thousandfold speedup is none.
  const bool unclear = is_unclear_point(cell) && !is_ratio(column.says.kind);
  if (unclear && column.unclear_point.empty()) column.unclear_point = cell;
  if (!unclear && read_quantity(cell, Comma::kThousands)) {
    column.decimal_point = true;
  }
}

void look_at_value(const WrittenQuantity& quantity, Column& column) {
  const bool percent = quantity.unit == "%";
  const double value = percent ? quantity.value / 100 : quantity.value;
  column.percents += percent ? 1U : 0U;
  column.shortened += is_shortened(quantity) ? 1U : 0U;
  column.approximate = column.approximate || quantity.approximate;
  column.largest = std::max(column.largest, value);
  if (value > kFarAboveOne) ++column.above_one;
  if (quantity.value >= 1 && quantity.value == std::floor(quantity.value)) ++column.wholes;
}

/// Where a word for a failure stands instead of a value.
bool takes_failures(const ColumnName& says) {
  return is_measured(says.kind) || (says.kind == ColumnKind::kRepeat && says.index);
}

void look_at(Cell cell, Column& column) {
  if (is_absent(cell) || (takes_failures(column.says) && is_failure(cell))) return;
  ++column.filled;
  if (const auto plain = parse_double(cell)) {
    ++column.numbers;
    look_at_point(cell, column);
    look_at_value({*plain, {}}, column);
    return;
  }
  if (is_not_finite(cell) && !is_measured(column.says.kind)) {
    --column.filled;  // computed from nothing
    return;
  }
  const bool marked = cell.find(',') != std::string_view::npos || has_grouped_points(cell);
  auto quantity = read_quantity(cell, Comma::kThousands);
  if (!quantity) quantity = read_quantity(cell, Comma::kDecimal);
  if (marked && quantity) {
    column.comma = both(column.comma, comma_in(cell));
    if (is_ambiguous(cell)) column.ambiguous = cell;
  }
  look_at_point(cell, column);
  const bool counted =
      column.says.kind == ColumnKind::kWorkers || column.says.kind == ColumnKind::kWorkersIn;
  const bool number =
      quantity &&
      (has_known_unit(*quantity) || is_shortened(*quantity) ||
       (counted && (counts_workers(quantity->unit) || !counted_thing(quantity->unit).empty())) ||
       (is_rate(column.says.kind) && per_second(quantity->unit)));
  if (number || is_number(cell)) {
    ++column.numbers;
  } else if (column.says.kind == ColumnKind::kTime &&
             (read_clock(cell) || is_unclear_clock(cell))) {
    ++column.numbers;
    if (column.clock.empty()) column.clock = cell;
  }
  if (quantity) look_at_value(*quantity, column);
  if (regime_named(cell)) ++column.regimes;
}

class ColumnLook : RoleStep {
 public:
  using RoleStep::RoleStep;

  Result<void> run() {
    KSTAR_CHECK(look());
    settle_by_cells();
    settle_row_numbers();
    settle_minutes();
    settle_axes();
    settle_singulars();
    find_product();
    settle_bases();
    drop_constant_times();
    return {};
  }

 private:
  Result<void> look() {
    for (const std::string& each : table_.names) {
      columns().push_back({.name = each, .says = column_named(each)});
    }
    for (const std::string& each : options_.ignored_columns) {
      KSTAR_TRY(const auto column, named_column("--ignore", each));
      says(column) = {};
      columns()[column].ignored = true;
    }
    const std::set<Cell> jobs = jobs_with_steps();
    KSTAR_TRY(roles_.selection, parse_selection(options_.select, table_.names));
    const auto& conditions = roles_.selection.conditions;
    std::vector<SeenValues> seen(conditions.size());
    for (std::uint32_t row = 0; row < table_.rows(); ++row) {
      bool asked = true;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        const Cell cell = table_.at(row, conditions[i].column);
        seen[i].add(cell);
        asked = asked && matches(conditions[i], cell);
      }
      if (!asked) continue;
      if (!jobs.empty() && is_step(table_.at(row, *jobs_), jobs)) {
        ++roles_.steps_of_jobs;
        continue;
      }
      roles_.rows.push_back(row);
      for (std::size_t i = 0; i < columns().size(); ++i) look_at(table_.at(row, i), columns()[i]);
    }
    if (!roles_.rows.empty()) return {};
    std::string hint;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      hint += fmt::format("{}{}: {}", hint.empty() ? "available: " : "; ",
                          name(conditions[i].column), seen[i].text());
    }
    return fail(refusal(table_.input,
                        conditions.empty() ? "the table has no rows" : "no row matches --select",
                        std::move(hint)));
  }

  /// Slurm's accounting has a row for a job (123), and one for each of its steps (123.batch).
  std::set<Cell> jobs_with_steps() {
    std::set<Cell> jobs;
    for (std::size_t i = 0; i < table_.width(); ++i) {
      if (words_of(table_.names[i]) == Words{"job", "id"}) jobs_ = i;
    }
    for (std::size_t row = 0; jobs_ && row < table_.rows(); ++row) {
      const Cell cell = table_.at(row, *jobs_);
      if (cell.find('.') == std::string_view::npos) jobs.insert(cell);
    }
    return jobs;
  }

  static bool is_step(Cell cell, const std::set<Cell>& jobs) {
    const std::size_t point = cell.find('.');
    return point != std::string_view::npos && jobs.contains(cell.substr(0, point));
  }

  bool all_cells(std::size_t column, const std::function<bool(Cell)>& holds_for) const {
    return columns()[column].filled > 0 &&
           std::all_of(roles_.rows.begin(), roles_.rows.end(), [&](std::uint32_t row) {
             const Cell cell = table_.at(row, column);
             return is_absent(cell) || holds_for(cell);
           });
  }

  /// What every cell says, where the name does not: "8 cores" counts, "12.3 ms" is a time, and
  /// "64 x 64" is the size of a grid.
  void settle_by_cells() {
    const auto counts = [](Cell cell) {
      const auto quantity = read_quantity(cell, Comma::kThousands);
      return quantity ? rank_of_workers(quantity->unit) > 1 && counts_workers(quantity->unit)
                      : names_serial(cell);
    };
    const auto is_time = [](Cell cell) {
      const auto quantity = read_quantity(cell, Comma::kThousands);
      return quantity && quantity->unit.size() > 1 && seconds_in_written_unit(quantity->unit);
    };
    const auto is_grid = [](Cell cell) { return !is_number(cell) && parse_product(cell); };
    const bool counted = !all_of(ColumnKind::kWorkers).empty();
    const bool measured = std::any_of(columns().begin(), columns().end(), [](const Column& column) {
      return is_measured(column.says.kind);
    });
    for (std::size_t i = 0; i < columns().size(); ++i) {
      Column& column = columns()[i];
      const ColumnKind kind = column.says.kind;
      const bool free = kind == ColumnKind::kOther && !column.says.no_setting &&
                        !column.says.is_remark && !column.says.is_day && !column.says.is_part;
      if (column.ignored || column.filled == 0) continue;
      if (free && !counted && column.numbers == 0 && column.wholes > 0 && all_cells(i, counts)) {
        column.says.kind = ColumnKind::kWorkers;
        for (const std::uint32_t row : roles_.rows) {
          const auto quantity = read_quantity(table_.at(row, i), Comma::kThousands);
          if (quantity && column.says.rank == 0) column.says.rank = rank_of_workers(quantity->unit);
          column.numbers += quantity ? 1U : 0U;
        }
      } else if (free && !measured && column.numeric() && all_cells(i, is_time)) {
        column.says.kind = ColumnKind::kTime;
        column.says.unexplained = 1;
      } else if ((kind == ColumnKind::kDimension || kind == ColumnKind::kSize) &&
                 column.numbers == 0 && all_cells(i, is_grid)) {
        column.says.kind = ColumnKind::kSize;
        column.numbers = column.wholes = column.filled;
      } else if (kind == ColumnKind::kStatus && column.numeric() &&
                 is_computed(column.name, column.largest)) {
        column.says = {};
        column.says.no_setting = true;
      }
    }
  }

  /// "#" and "No." beside K go 1, 2, 3 from row to row: they number the rows. So do the loops of
  /// LAMMPS where each has a K of its own.
  void settle_row_numbers() {
    const Indices workers = all_of(ColumnKind::kWorkers);
    if (workers.empty()) return;
    const std::vector<double> counts = all_numbers_in(workers[0]);
    const bool another_each =
        std::set<double>(counts.begin(), counts.end()).size() == counts.size();
    for (Column& column : columns()) {
      const Words words = words_of(column.name);
      const bool named = words.size() == 1 && (means(words[0], Sense::kRowNumber) ||
                                               (words[0] == "loop" && another_each));
      if (!named || column.ignored || table_.rows() < 2) continue;
      const auto numbers = all_numbers_in(static_cast<std::size_t>(&column - columns().data()));
      bool counted = numbers[0] == 0 || numbers[0] == 1;
      for (std::size_t row = 1; row < numbers.size() && counted; ++row) {
        counted = numbers[row] == numbers[row - 1] + 1;
      }
      if (!counted) continue;
      column.says = {};
      column.says.kind = ColumnKind::kCounter;
    }
  }

  /// "time_min" is in minutes, unless "time_max" or a mean stands beside it.
  void settle_minutes() {
    const bool summaries = std::any_of(columns().begin(), columns().end(), [](const auto& column) {
      return !column.says.statistic.empty();
    });
    for (Column& column : columns()) {
      const bool letter = lower_case(column.name).find("(m)") != std::string::npos ||
                          lower_case(column.name).find("[m]") != std::string::npos;
      if (!column.says.minutes_or_minimum || !summaries || letter) continue;
      column.says.scale = 1;
      column.says.statistic = "min";
      column.says.unexplained += 1;
    }
  }

  /// "x" beside "y" is an axis, and no throughput.
  void settle_axes() {
    const auto named = [&](std::string_view letter) {
      return std::find_if(columns().begin(), columns().end(), [&](const Column& column) {
        return lower_case(column.name) == letter && !column.ignored;
      });
    };
    // The nodes of a graph are no machines.
    for (Column& column : columns()) {
      const Words words = words_of(column.name);
      if (!holds(words, "nodes") || named("edges") == columns().end()) continue;
      column.says = {};
      column.says.kind = ColumnKind::kSize;
    }
    const auto x = named("x");
    if (x == columns().end() || (named("y") == columns().end() && named("z") == columns().end()))
      return;
    x->says = {};
    x->says.kind = ColumnKind::kDimension;
    x->says.axis = true;
  }

  /// "rank" is the number of one where it goes 0, 1, 2 or 1, 2, 3; with gaps it counts them.
  void settle_singulars() {
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).kind != ColumnKind::kWorkers || !says(i).singular) continue;
      const std::vector<double> numbers = numbers_in(i);
      std::set<double> distinct(numbers.begin(), numbers.end());
      const bool model = means(lower_case(columns()[i].name), Sense::kModel);
      const bool gaps = distinct.size() > 1 && *distinct.rbegin() - *distinct.begin() + 1 >
                                                   static_cast<double>(distinct.size());
      if (is_whole(i) && (gaps || model)) continue;
      const bool host = lower_case(columns()[i].name) == "host";
      const bool one = says(i).numbers_worker;
      says(i) = {};
      says(i).is_remark = host;
      says(i).numbers_worker = one;
    }
  }

  /// A column that is the product of two counts is K, and they are its factors.
  void find_product() {
    if (!options_.worker_column.empty() || table_.rows() < 2) return;
    Indices parts, totals;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (!is_whole(i) || columns()[i].ignored) continue;
      const std::string lower = lower_case(columns()[i].name);
      const bool letter = lower == "t" || lower == "p" || lower == "r" || lower == "n";
      const bool counts =
          says(i).kind == ColumnKind::kWorkers || says(i).kind == ColumnKind::kWorkersIn;
      if (counts || letter) parts.push_back(i);
      if (says(i).kind == ColumnKind::kWorkers || lower == "total") totals.push_back(i);
    }
    for (const std::size_t total : totals) {
      const auto all = all_numbers_in(total);
      for (const std::size_t a : parts) {
        for (const std::size_t b : parts) {
          if (a >= b || a == total || b == total) continue;
          const auto first = all_numbers_in(a), second = all_numbers_in(b);
          const bool ones =
              std::all_of(first.begin(), first.end(), [](double n) { return n == 1; }) ||
              std::all_of(second.begin(), second.end(), [](double n) { return n == 1; });
          bool product = !ones;
          for (std::size_t row = 0; row < all.size() && product; ++row) {
            product = all[row] == first[row] * second[row];
          }
          if (!product) continue;
          says(total).kind = ColumnKind::kWorkers;
          says(total).rank = 0;
          for (const std::size_t part : {a, b}) {
            if (rank(part) == kRankOfNodes) roles_.nodes = part;
            if (rank(part) == kRankOfThreads) roles_.threads = part;
            says(part) = {};
            says(part).kind = ColumnKind::kWorkersIn;
          }
          roles_.counted_twice = true;
          return;
        }
      }
    }
  }

  /// "T1" beside another time is what a speedup is against; t1, t2, t3 are repeats.
  void settle_bases() {
    const Indices times = all_of(ColumnKind::kTime);
    for (const std::size_t i : times) {
      if (says(i).index != 1 || says(i).repeat_of.empty()) continue;
      const bool other = std::any_of(times.begin(), times.end(), [&](std::size_t j) {
        return j != i && says(j).repeat_of != says(i).repeat_of;
      });
      const bool numbered = std::any_of(times.begin(), times.end(), [&](std::size_t j) {
        return j != i && says(j).repeat_of == says(i).repeat_of;
      });
      if (!other || numbered) continue;
      says(i).kind = ColumnKind::kOther;
      says(i).no_setting = true;
    }
  }

  /// "total_days" of a simulation is the same in every row: no T beside times that change.
  void drop_constant_times() {
    Indices constant;
    bool others = false;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const bool time = says(i).kind == ColumnKind::kTime;
      if ((!time && !says(i).is_part) || columns()[i].numbers == 0) continue;
      const bool same = is_constant(i);
      others = others || !same;
      if (same && time) constant.push_back(i);
    }
    if (!others || roles_.rows.size() < 2) return;
    for (const std::size_t i : constant) {
      if (columns()[i].name == options_.time_column) continue;
      says(i) = {};
      says(i).no_setting = true;
    }
  }

  std::optional<std::size_t> jobs_;  ///< the column of their numbers
};

}  // namespace

Result<void> look_at_columns(RoleSearch& search) {
  return ColumnLook(search).run();
}

}  // namespace kstar
