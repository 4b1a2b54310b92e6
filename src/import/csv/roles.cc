#include "import/csv/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/name_table.h"
#include "kstar/regime.h"

namespace kstar {

namespace {

/// No share of a whole, and no efficiency.
constexpr double kFarAboveOne = 1.5;
/// An efficiency is rarely above 1, and never far above it.
constexpr double kMostShare = 1.1;
/// What a percentage of an efficiency may be. At its base it is 100.
constexpr double kLeastPercent = 30, kMostPercent = 200;
/// No speedup is so many times the workers.
constexpr double kMostSpeedup = 1.5;

using Indices = std::vector<std::size_t>;

/// "12.3 ms", "85%" and "3.2x" are numbers; "2016-12-28" is none.
bool has_known_unit(const WrittenQuantity& quantity) {
  return quantity.unit.empty() || quantity.unit == "%" || is_times_sign(quantity.unit) ||
         seconds_in_written_unit(quantity.unit);
}

void look_at_point(Cell cell, Column& column) {
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos || cell.find(',') != std::string_view::npos) return;
  // A thousandfold speedup is none.
  const bool unclear = is_unclear_point(cell) && !is_ratio(column.says.kind);
  if (unclear && column.unclear_point.empty()) column.unclear_point = cell;
  if (!unclear && !column.decimal_point && read_quantity(cell, Comma::kThousands)) {
    column.decimal_point = true;
  }
}

void look_at_value(const WrittenQuantity& quantity, Column& column) {
  const bool percent = quantity.unit == "%";
  const double value = percent ? quantity.value / 100 : quantity.value;
  column.percents += percent ? 1U : 0U;
  column.shortened += is_shortened(quantity) ? 1U : 0U;
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
  if (marked && is_number(cell)) {
    column.comma = both(column.comma, comma_in(cell));
    if (is_ambiguous(cell)) column.ambiguous = cell;
  }
  look_at_point(cell, column);
  const auto quantity = read_quantity(cell, Comma::kThousands);
  const bool counted =
      column.says.kind == ColumnKind::kWorkers || column.says.kind == ColumnKind::kWorkersIn;
  const bool number = quantity && (has_known_unit(*quantity) || is_shortened(*quantity) ||
                                   (counted && counts_workers(quantity->unit)) ||
                                   (is_rate(column.says.kind) && names_rate(quantity->unit)));
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

std::string listed(const std::vector<Column>& columns, const Indices& chosen) {
  std::string text;
  for (const std::size_t i : chosen) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", printable(columns[i].name));
  }
  return text;
}

/// How little a name says that this is the column: unexplained words first, then what sort of
/// summary it is.
int doubt(const ColumnName& says) {
  const std::string& kind = says.statistic;
  const bool mean = kind == "mean" || kind == "avg" || kind == "average";
  const int summary = kind.empty() ? 0 : mean ? 1 : kind == "median" ? 2 : 3;
  return 8 * says.unexplained + (says.of_one_step ? 4 : 0) + summary;
}

/// Finds the roles one after the other; each step may fail.
class RoleFinder {
 public:
  RoleFinder(const TextTable& table, const ImportOptions& options)
      : table_(table), options_(options) {}

  Result<Roles> find() {
    KSTAR_CHECK(look());
    settle_minutes();
    settle_axes();
    settle_singulars();
    find_product();
    settle_bases();
    drop_constant_times();
    KSTAR_CHECK(choose_values());
    KSTAR_CHECK(check_units());
    settle_ratios();
    KSTAR_CHECK(check_efficiency());
    KSTAR_CHECK(choose_workers());
    KSTAR_CHECK(check_names());
    if (roles_.workers.empty()) return std::move(roles_);
    KSTAR_CHECK(check_kinds_of_workers());
    KSTAR_CHECK(choose_unit());
    choose_settings();
    choose_claim_bases();
    choose_labels();
    KSTAR_CHECK(settle_commas());
    return std::move(roles_);
  }

 private:
  std::vector<Column>& columns() { return roles_.columns; }
  const std::vector<Column>& columns() const { return roles_.columns; }
  std::string where() const { return printable(table_.input.name); }
  std::string name(std::size_t i) const { return printable(columns()[i].name); }
  ColumnName& says(std::size_t i) { return columns()[i].says; }
  const ColumnName& says(std::size_t i) const { return columns()[i].says; }
  int rank(std::size_t i) const { return says(i).rank; }
  bool is_whole(std::size_t i) const {
    return !roles_.rows.empty() && columns()[i].wholes == roles_.rows.size();
  }

  Indices all_of(ColumnKind kind) const {
    Indices found;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).kind == kind && !columns()[i].ignored) found.push_back(i);
    }
    return found;
  }

  /// The columns of that kind whose names leave the least doubt.
  Indices surest(ColumnKind kind, bool numbers = true) const {
    Indices best;
    for (const std::size_t i : all_of(kind)) {
      if (columns()[i].filled == 0 || (numbers && columns()[i].numbers == 0)) continue;
      const int least = best.empty() ? doubt(says(i)) : doubt(says(best[0]));
      if (doubt(says(i)) > least) continue;
      if (doubt(says(i)) < least) best.clear();
      best.push_back(i);
    }
    return best;
  }

  std::optional<std::size_t> the_one(ColumnKind kind) const {
    const Indices best = surest(kind);
    return best.size() == 1 ? std::optional(best[0]) : std::nullopt;
  }

  Result<std::size_t> named_column(std::string_view flag, const std::string& name) const {
    const std::size_t found = column_index(table_.names, name);
    if (found != std::string::npos) return found;
    Indices all(columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return fail(
        expected(flag, fmt::format("a column of {} ({})", where(), listed(columns(), all)), name));
  }

  /// The numbers of a column, a row each; 0 where there is none.
  std::vector<double> numbers_in(std::size_t column) const {
    std::vector<double> numbers;
    numbers.reserve(roles_.rows.size());
    for (const std::uint32_t row : roles_.rows) {
      const auto quantity = read_quantity(table_.at(row, column), Comma::kThousands);
      numbers.push_back(quantity ? quantity->value : 0);
    }
    return numbers;
  }

  /// Of all rows, whether they were asked for or not.
  std::vector<double> all_numbers_in(std::size_t column) const {
    std::vector<double> numbers;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const auto quantity = read_quantity(table_.at(row, column), Comma::kThousands);
      numbers.push_back(quantity ? quantity->value : 0);
    }
    return numbers;
  }

  Result<void> look() {
    for (const std::string& each : table_.names) {
      columns().push_back({.name = each, .says = column_named(each)});
    }
    for (const std::string& each : options_.ignored_columns) {
      KSTAR_TRY(const auto column, named_column("--ignore", each));
      says(column) = {};
      columns()[column].ignored = true;
    }
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
      roles_.rows.push_back(row);
      for (std::size_t i = 0; i < columns().size(); ++i) look_at(table_.at(row, i), columns()[i]);
    }
    if (!roles_.rows.empty()) return {};
    std::string hint;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      hint += fmt::format("{}{}: {}", hint.empty() ? "available: " : "; ",
                          name(conditions[i].column), seen[i].text());
    }
    return fail(
        {.where = where(),
         .message = conditions.empty() ? "the table has no rows" : "no row matches --select",
         .hint = std::move(hint)});
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

  bool is_constant(std::size_t column) const {
    return std::all_of(roles_.rows.begin(), roles_.rows.end(), [&](std::uint32_t row) {
      return table_.at(row, column) == table_.at(roles_.rows[0], column);
    });
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

  /// "245ms" above "128": nobody knows whether the second is in milliseconds, too.
  Result<void> check_units() const {
    if (roles_.value.kind != ColumnKind::kTime) return {};
    for (const std::size_t column : roles_.values) {
      Cell plain, with_unit;
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, column);
        const auto quantity = read_quantity(cell, Comma::kThousands);
        if (!quantity) continue;
        if (quantity->unit.empty()) {
          plain = cell;
          continue;
        }
        const auto unit = seconds_in_written_unit(quantity->unit);
        const bool clock = cell.find(':') != std::string_view::npos || read_clock(cell);
        const bool as_named = unit && says_unit() && *unit == roles_.value.scale;
        if (!clock && !as_named && !is_failure(cell)) with_unit = cell;
      }
      if (plain.empty() || with_unit.empty()) continue;
      return fail(cell_error(
          table_, with_unit,
          fmt::format("'{}' has a unit{}, and '{}' in the same column has none",
                      printable(with_unit), says_unit() ? " that is not the column's" : "",
                      printable(plain)),
          "write every time in the unit that the column's name says, or the unit behind each"));
    }
    return {};
  }
  bool says_unit() const { return roles_.value.unit > 0 || roles_.value.scale != 1; }

  /// Which of two columns is meant, no flag can say.
  Result<void> check_names() const {
    Indices used = roles_.workers;
    used.insert(used.end(), roles_.values.begin(), roles_.values.end());
    for (const std::size_t i : used) {
      for (std::size_t j = 0; j < columns().size(); ++j) {
        if (j == i || columns()[i].name.empty() || columns()[j].name != columns()[i].name) continue;
        const bool same =
            std::all_of(roles_.rows.begin(), roles_.rows.end(),
                        [&](std::uint32_t row) { return table_.at(row, i) == table_.at(row, j); });
        if (!same) return fail(same_name(i));
      }
    }
    return {};
  }

  Error same_name(std::size_t i) const {
    std::map<std::string, int> seen;
    std::string names;
    for (const Column& column : columns()) {
      const int count = ++seen[column.name];
      names += fmt::format("{}{}{}", names.empty() ? "" : ",", printable(column.name),
                           count > 1 ? fmt::format("_{}", count) : "");
    }
    return {.where = where(),
            .message = fmt::format("two columns are named '{}'", name(i)),
            .hint = fmt::format("name the columns: --columns '{}'", names)};
  }

  /// "8 gpus" and "1 node" are no two numbers of one thing.
  Result<void> check_kinds_of_workers() const {
    for (const std::size_t column : roles_.workers) {
      int kind = 0;
      bool plain = false;
      Cell first;
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, column);
        const auto quantity = read_quantity(cell, Comma::kThousands);
        if (!quantity) continue;
        const int one = counts_workers(quantity->unit) ? rank_of_workers(quantity->unit) : 0;
        plain = plain || one == 0;
        if (one == 0) continue;
        if (kind == 0) first = cell;
        const int named = plain && kind == 0 && rank(column) > 1 ? rank(column) : kind;
        if (named != 0 && named != one) {
          return fail(
              cell_error(table_, cell,
                         fmt::format("'{}' and '{}' count different things", printable(cell),
                                     kind == 0 ? name(column) : printable(first)),
                         "write the number of the same part of the machine in every row"));
        }
        kind = one;
      }
    }
    return {};
  }

  /// A column named "unit" says that of the times.
  Result<void> choose_unit() {
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const Words words = words_of(columns()[i].name);
      const bool named = words == Words{"unit"} || words == Words{"units"} ||
                         words == Words{"uom"} || words == Words{"time", "unit"} ||
                         words == Words{"time", "units"};
      // Numbers are units of work.
      if (!named || columns()[i].ignored || columns()[i].numbers > 0) continue;
      if (columns()[i].filled == 0) continue;
      if (roles_.value.kind == ColumnKind::kTime) {
        roles_.unit = i;
      } else if (!is_constant(i)) {
        return fail({.where = where(),
                     .message = fmt::format("'{}' changes between the rows", name(i)),
                     .hint = fmt::format("write every value in one unit; --ignore '{}' if that is "
                                         "no unit of '{}'",
                                         name(i), name(roles_.values[0]))});
      }
    }
    return {};
  }

  Result<void> choose_values() {
    std::string asked = options_.time_column;
    if (!options_.rate_column.empty()) {
      KSTAR_TRY(const auto column, named_column("--rate-column", options_.rate_column));
      roles_.values = {column};
      roles_.value = says(column);
      if (roles_.value.kind != ColumnKind::kWorkerRate) roles_.value.kind = ColumnKind::kRate;
      if (says(column).kind == ColumnKind::kTime) roles_.value.scale = 1;
    } else if (!asked.empty()) {
      KSTAR_TRY(const auto column, named_column("--time-column", asked));
      take_time(column);
    } else if (!roles_.selection.value_column.empty()) {
      KSTAR_TRY(const auto column, named_column("--select", roles_.selection.value_column));
      roles_.values = {column};
      roles_.value = says(column);
      roles_.guessed = !is_measured(roles_.value.kind);
      if (roles_.guessed) roles_.value.kind = ColumnKind::kTime;
    } else {
      KSTAR_CHECK(recognise());
    }
    for (const std::size_t i : roles_.values) {
      says(i).kind = ColumnKind::kValue;
      if (columns()[i].clock.empty()) look_for_clock(i);
    }
    return {};
  }

  void look_for_clock(std::size_t column) {
    if (roles_.value.kind != ColumnKind::kTime || columns()[column].numeric()) return;
    for (const std::uint32_t row : roles_.rows) {
      const Cell cell = table_.at(row, column);
      if (!read_clock(cell)) continue;
      columns()[column].clock = cell;
      return;
    }
  }

  /// The flag decides: a time in the unit that its name ends with, else seconds.
  void take_time(std::size_t column) {
    const ColumnName named = says(column);
    roles_.values = {column};
    roles_.value = named;
    roles_.value.kind = ColumnKind::kTime;
    if (named.kind == ColumnKind::kTime || named.is_part) return;
    const bool per = holds(words_of(columns()[column].name), "per");
    roles_.value.scale = named.unit > 0 && !per ? named.unit : 1;
    roles_.guessed = roles_.value.scale == 1 && named.unit == 0;
    roles_.value.statistic = named.statistic;
    if (is_measured(named.kind)) roles_.told = name(column);
  }

  Result<void> recognise() {
    KSTAR_TRY(const bool found, take_repeats());
    if (found) return {};
    // A name without a single number in its column is taken where there is nothing better: what is
    // wrong with it then shows at its place.
    for (const bool numbers : {true, false}) {
      for (const ColumnKind kind : {ColumnKind::kTime, ColumnKind::kRate, ColumnKind::kWorkerRate,
                                    ColumnKind::kSpeedup, ColumnKind::kEfficiency}) {
        const Indices best = surest(kind, numbers);
        if (best.empty()) continue;
        const Indices rivals = rivals_of(best, kind, numbers);
        if (rivals.size() > 1) return fail(several_values(rivals));
        roles_.values = best;
        roles_.value = says(best[0]);
        return {};
      }
    }
    if (take_only_part()) return {};
    const Indices value = all_of(ColumnKind::kValue);
    if (value.size() == 1) return take_named_value(value[0]);
    Indices parts;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).is_part && columns()[i].numbers > 0) parts.push_back(i);
    }
    if (parts.size() > 1) return fail(several_values(parts));
    return fail(no_values());
  }

  /// Of several columns a name wins only that says nothing but "time"; else nobody knows which.
  Indices rivals_of(const Indices& best, ColumnKind kind, bool numbers) const {
    if (best.size() > 1 || says(best[0]).unexplained <= 0) return best;
    Indices rivals;
    for (const std::size_t i : all_of(kind)) {
      const bool has = columns()[i].filled > 0 && (!numbers || columns()[i].numbers > 0);
      // The summaries of one thing are no rivals, nor is the time of a step.
      const bool same = says(i).unexplained == says(best[0]).unexplained && i != best[0] &&
                        !says(i).statistic.empty();
      const bool step = says(i).of_one_step && !says(best[0]).of_one_step;
      if (has && !same && !step) rivals.push_back(i);
    }
    const bool latency = holds(words_of(columns()[best[0]].name), "latency");
    for (std::size_t i = 0; latency && i < columns().size(); ++i) {
      if (says(i).is_part && columns()[i].numbers > 0) rivals.push_back(i);
    }
    return rivals;
  }

  /// By the words around their numbers.
  std::map<std::string, Indices> counted_columns(bool rates) const {
    std::map<std::string, Indices> found;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const bool kind =
          rates ? says(i).kind == ColumnKind::kRate
                : says(i).kind == ColumnKind::kTime || says(i).kind == ColumnKind::kRepeat;
      if (kind && !says(i).repeat_of.empty() && columns()[i].numbers > 0) {
        found[says(i).repeat_of].push_back(i);
      }
    }
    return found;
  }

  /// 1, 2, 3 or 0, 1, 2 in any order.
  bool count_on(const Indices& chosen) const {
    std::set<int> seen;
    for (const std::size_t i : chosen) seen.insert(*says(i).index);
    return chosen.size() > 1 && seen.size() == chosen.size() && *seen.begin() <= 1 &&
           *seen.rbegin() - *seen.begin() + 1 == static_cast<int>(chosen.size());
  }

  Result<bool> take_repeats() {
    for (const bool rates : {false, true}) {
      Indices repeats, all;
      for (const auto& [words, chosen] : counted_columns(rates)) {
        if (!count_on(chosen)) continue;
        if (repeats.empty()) repeats = chosen;
        all.insert(all.end(), chosen.begin(), chosen.end());
      }
      if (all.size() > repeats.size()) return fail(several_values(all));
      if (repeats.empty()) continue;
      roles_.value = says(repeats[0]);
      if (roles_.value.kind == ColumnKind::kRepeat) roles_.value.kind = ColumnKind::kTime;
      roles_.values = std::move(repeats);
      return true;
    }
    return false;
  }

  /// "compute time" where no other time stands beside it.
  bool take_only_part() {
    Indices parts;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).is_part && columns()[i].numbers > 0) parts.push_back(i);
    }
    if (parts.size() != 1) return false;
    roles_.values = parts;
    roles_.value = says(parts[0]);
    roles_.value.kind = ColumnKind::kTime;
    return true;
  }

  /// A table in long form: a column says what the value is.
  Result<void> take_named_value(std::size_t value) {
    const Indices metrics = all_of(ColumnKind::kMetric);
    if (metrics.size() != 1) return fail(no_values());
    SeenValues names;
    for (const std::uint32_t row : roles_.rows) names.add(table_.at(row, metrics[0]));
    if (names.size() != 1) {
      return fail({.where = where(),
                   .message = fmt::format("the column '{}' names several measured quantities",
                                          name(metrics[0])),
                   .hint = fmt::format("pick one: --select {}={} (available: {})", name(metrics[0]),
                                       printable(names.first()), names.text())});
    }
    const ColumnName meant = column_named(names.first());
    if (!is_measured(meant.kind)) {
      return fail({.where = where(),
                   .message = fmt::format("'{}' is neither a time nor a rate nor a speedup",
                                          printable(names.first())),
                   .hint = fmt::format("use --time-column {0} or --rate-column {0}", name(value))});
    }
    roles_.values = {value};
    roles_.value = meant;
    return {};
  }

  Error several_values(const Indices& best) const {
    const bool same = std::all_of(best.begin(), best.end(), [&](std::size_t i) {
      return columns()[i].name == columns()[best[0]].name;
    });
    return {
        .where = where(),
        .message = fmt::format("several columns could be the values: {}", listed(columns(), best)),
        .hint = same ? same_name(best[0]).hint
                     : fmt::format("pick one: --{}-column '{}'",
                                   is_rate(says(best[0]).kind) ? "rate" : "time", name(best[0]))};
  }

  Error no_values() const {
    Indices possible;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const ColumnKind kind = says(i).kind;
      const bool free = kind == ColumnKind::kOther || kind == ColumnKind::kSize ||
                        kind == ColumnKind::kValue || kind == ColumnKind::kDimension;
      if (free && columns()[i].numeric() && !columns()[i].ignored) possible.push_back(i);
    }
    std::string hint;
    if (!possible.empty()) {
      hint = fmt::format(
          "columns with numbers: {0}; name the times with --time-column '{1}', or the rates with "
          "--rate-column '{1}'",
          listed(columns(), possible), name(likeliest(possible)));
    }
    return {.where = where(),
            .message = "no column name means a time, a rate or a speedup",
            .hint = std::move(hint)};
  }

  /// A mean or a total, else the last.
  std::size_t likeliest(const Indices& possible) const {
    for (const std::size_t i : possible) {
      const Words words = words_of(columns()[i].name);
      const bool plain = std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "mean" || word == "avg" || word == "average" || word == "total";
      });
      if (plain && !words.empty()) return i;
    }
    return possible.back();
  }

  // Ratios whose names may mean two things.

  double most_workers() const {
    double most = 0;
    for (const Column& column : columns()) {
      const bool counts = options_.worker_column.empty() ? column.says.kind == ColumnKind::kWorkers
                                                         : column.name == options_.worker_column;
      if (counts) most = std::max(most, column.largest);
    }
    return most;
  }

  /// Without a percent sign anywhere.
  static bool looks_like_percent(const Column& column, const ColumnName& named) {
    return named.scale == 1 && column.percents == 0 && column.largest >= kLeastPercent &&
           column.largest <= kMostPercent;
  }

  void settle_ratios() {
    const double workers = most_workers();
    for (std::size_t i = 0; i < columns().size(); ++i) {
      Column& column = columns()[i];
      const bool is_value = roles_.values.size() == 1 && roles_.values[0] == i;
      ColumnName& named = is_value ? roles_.value : column.says;
      if (column.numbers == 0) continue;
      if (named.speedup_or_efficiency) {
        settle_scaling(column, named, workers);
      } else if (named.kind == ColumnKind::kEfficiency) {
        settle_percent(column, named);
      }
    }
  }

  static void settle_scaling(Column& column, ColumnName& named, double workers) {
    const double largest = column.largest * (column.percents > 0 ? 1 : named.scale);
    if (workers < 2) return;
    if (largest <= kMostShare) {
      named.kind = ColumnKind::kEfficiency;
      const bool percent = column.percents > 0 || named.scale != 1;
      column.reading = fmt::format("an efficiency: no value is above {}", percent ? "100%" : "1");
    } else if (looks_like_percent(column, named) && column.largest > kMostSpeedup * workers) {
      named.kind = ColumnKind::kEfficiency;
      named.scale = 0.01;
      column.reading = "an efficiency in percent: a speedup would not be so large";
    } else {
      column.reading = "a speedup: an efficiency would not be above 1";
    }
  }

  static void settle_percent(Column& column, ColumnName& named) {
    const bool most = 2 * column.above_one > column.numbers;
    if (!most || named.scale != 1 || column.percents > 0) return;
    if (looks_like_percent(column, named)) {
      named.scale = 0.01;
      column.reading = "an efficiency in percent: values are far above 1";
    } else {
      column.unlikely = true;
    }
  }

  Result<void> check_efficiency() const {
    const Column& first = columns()[roles_.values[0]];
    if (!first.unlikely || roles_.value.kind != ColumnKind::kEfficiency) return {};
    return fail(
        {.where = where(),
         .message = fmt::format(
             "'{}' is called an efficiency, but is neither a share nor a percentage: it reaches {}",
             printable(first.name), shortest(first.largest)),
         .hint = fmt::format("use --rate-column '{}' if it is proportional to the work per second",
                             printable(first.name))});
  }

  // K.

  Result<void> choose_workers() {
    if (!options_.worker_column.empty()) return take_named_workers();
    Indices found = counting();
    const bool told = options_.workers || !options_.worker_regex.empty();
    if (found.empty() && told) return {};  // one run, whose K the user gives
    if (found.empty()) return take_confirmed_workers();
    drop_loaders(found);
    roles_.workers = {*std::min_element(found.begin(), found.end(),
                                        [&](auto a, auto b) { return rank(a) < rank(b); })};
    multiply_parts();
    KSTAR_CHECK(check_part_of_nodes(found));
    KSTAR_CHECK(multiply_threads(found));
    for (const std::size_t i : found) {
      const bool product = roles_.workers.size() > 1 && i == roles_.workers[0];
      if (rank(i) == kRankOfNodes && (product || !is_chosen(i))) roles_.nodes = i;
    }
    for (const std::size_t i : roles_.workers) says(i).kind = ColumnKind::kWorkers;
    return {};
  }

  bool is_chosen(std::size_t i) const {
    return std::find(roles_.workers.begin(), roles_.workers.end(), i) != roles_.workers.end();
  }

  /// Without those that are 0 somewhere (they count something else) if others are not.
  Indices counting() const {
    Indices found = all_of(ColumnKind::kWorkers);
    const auto good = [&](std::size_t i) { return is_whole(i); };
    if (std::any_of(found.begin(), found.end(), good)) {
      found.erase(std::remove_if(found.begin(), found.end(), [&](auto i) { return !good(i); }),
                  found.end());
    }
    return found;
  }

  /// "num_workers" beside gpus are those that load data.
  void drop_loaders(Indices& found) const {
    const bool gpus = std::any_of(found.begin(), found.end(),
                                  [&](std::size_t i) { return rank(i) == kRankOfGpus; });
    if (!gpus) return;
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](std::size_t i) {
                                 const Words words = words_of(columns()[i].name);
                                 return words.size() > 1 && holds(words, "workers");
                               }),
                found.end());
  }

  Result<void> take_named_workers() {
    const auto whole_name = named_column("--k-column", options_.worker_column);
    if (whole_name) {
      roles_.workers = {*whole_name};
    } else if (options_.worker_column.find('*') == std::string::npos) {
      return fail(whole_name.error());
    } else {
      for (const std::string_view part : split(options_.worker_column, '*')) {
        KSTAR_TRY(const auto column, named_column("--k-column", std::string(trim(part))));
        roles_.workers.push_back(column);
      }
    }
    for (const std::size_t i : roles_.workers) says(i).kind = ColumnKind::kWorkers;
    return {};
  }

  /// No name means K; but where efficiencies are given, a column of whole numbers that makes them
  /// of the values is K.
  Result<void> take_confirmed_workers() {
    const auto efficiency = the_one(ColumnKind::kEfficiency);
    Indices fitting;
    for (std::size_t i = 0; efficiency && i < columns().size(); ++i) {
      const bool value =
          std::find(roles_.values.begin(), roles_.values.end(), i) != roles_.values.end();
      if (is_whole(i) && !value && confirms(i, *efficiency)) fitting.push_back(i);
    }
    if (fitting.size() != 1) return fail(no_workers());
    roles_.workers = fitting;
    columns()[fitting[0]].reading = "K: the efficiencies in the table are those of it";
    says(fitting[0]).kind = ColumnKind::kWorkers;
    return {};
  }

  bool confirms(std::size_t workers, std::size_t efficiency) const {
    constexpr std::size_t kFewRows = 3;
    constexpr double kRounding = 0.02;
    const auto k = numbers_in(workers), e = numbers_in(efficiency);
    const auto values = numbers_in(roles_.values[0]);
    if (k.size() < kFewRows || roles_.value.kind == ColumnKind::kEfficiency) return false;
    const double scale = says(efficiency).scale;
    const bool is_time = roles_.value.kind == ColumnKind::kTime;
    const double first = is_time ? k[0] * values[0] : values[0] / k[0];
    for (std::size_t i = 0; i < k.size(); ++i) {
      const double share = e[i] * (scale != 1                           ? scale
                                   : columns()[efficiency].percents > 0 ? 0.01
                                                                        : 1);
      const double found = is_time ? first / (k[i] * values[i]) : values[i] / k[i] / first;
      if (!(share > 0) || !(std::fabs(found / share - 1) <= kRounding)) return false;
    }
    return k.front() != k.back();
  }

  /// Nodes times gpus per node, times threads per rank. Where the total has a column of its own,
  /// that is K.
  void multiply_parts() {
    const Indices parts = all_of(ColumnKind::kWorkersIn);
    int of = rank(roles_.workers[0]);
    while (of == kRankOfNodes || of == kRankOfRanks) {
      std::optional<std::size_t> next;
      for (const std::size_t i : parts) {
        const bool fits =
            says(i).rank_of_part == of && rank(i) != of && is_whole(i) && !is_chosen(i);
        if (fits && (!next || rank(i) < rank(*next))) next = i;
      }
      if (!next) return;
      roles_.workers.push_back(*next);
      of = rank(*next);
      if (of >= kRankOfThreads) roles_.threads = next;
    }
  }

  /// Threads beside nodes and ranks per node may be those of a rank, or all.
  Result<void> check_part_of_nodes(const Indices& found) const {
    if (roles_.workers.size() > 1 || roles_.counted_twice ||
        rank(roles_.workers[0]) != kRankOfThreads) {
      return {};
    }
    const auto nodes =
        std::find_if(found.begin(), found.end(), [&](auto i) { return rank(i) == kRankOfNodes; });
    for (const std::size_t i : all_of(ColumnKind::kWorkersIn)) {
      const bool ranks = rank(i) == kRankOfRanks && says(i).rank_of_part == kRankOfNodes;
      if (!ranks || nodes == found.end() || !is_whole(i)) continue;
      const std::string threads = name(roles_.workers[0]);
      return fail(
          {.where = where(),
           .message = fmt::format("'{}' may count the threads of a rank, or in total", threads),
           .hint = fmt::format("name K: --k-column '{0}*{1}*{2}' if '{2}' is that of a rank, "
                               "--k-column '{0}*{1}' if K counts ranks, otherwise --k-column '{2}'",
                               name(*nodes), name(i), threads)});
    }
    return {};
  }

  /// Hybrid programs: ranks of several threads each.
  Result<void> multiply_threads(const Indices& found) {
    const std::size_t ranks = roles_.workers[0];
    if (rank(ranks) != kRankOfRanks || roles_.workers.size() > 1) return {};
    const std::vector<double> counts = numbers_in(ranks);
    for (const std::size_t i : found) {
      if (rank(i) != kRankOfThreads) continue;
      const std::vector<double> threads = numbers_in(i);
      if (threads == counts) return {};  // the same, counted twice
      if (std::all_of(threads.begin(), threads.end(), [](double n) { return n == 1; })) return {};
      if (may_be_total(counts, threads)) {
        return fail({.where = where(),
                     .message = fmt::format("'{}' may count the threads per '{}', or in total",
                                            name(i), name(ranks)),
                     .hint = which_is_k(name(ranks), name(i))});
      }
      roles_.workers.push_back(i);
      roles_.threads = i;
      return {};
    }
    return {};
  }

  /// As many times the ranks in every row, while these change.
  static bool may_be_total(const std::vector<double>& ranks, const std::vector<double>& threads) {
    bool changes = false;
    for (std::size_t i = 0; i < ranks.size() && i < threads.size(); ++i) {
      if (threads[i] * ranks[0] != threads[0] * ranks[i]) return false;
      changes = changes || ranks[i] != ranks[0];
    }
    return changes;
  }

  static std::string which_is_k(std::string_view outer, std::string_view inner) {
    return fmt::format(
        "name K: --k-column '{0}*{1}' if '{1}' is per '{0}', otherwise --k-column '{0}' or "
        "--k-column '{1}'",
        outer, inner);
  }

  Error no_workers() const {
    Indices possible;
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).kind != ColumnKind::kValue && is_whole(i)) possible.push_back(i);
      if (parse_integer(trim(columns()[i].name))) ++numbers;
    }
    std::string hint =
        possible.empty()
            ? std::string("and no column has whole numbers of at least 1")
            : fmt::format("name it with --k-column '{}'; columns with whole numbers: {}",
                          name(possible[0]), listed(columns(), possible));
    if (numbers > 1) hint = "if the numbers in the header are K: --across; or " + hint;
    return {.where = where(),
            .message =
                "no column name means a number of workers (K, workers, threads, ranks, gpus, "
                "nodes, cores ...)",
            .hint = std::move(hint)};
  }

  // The problem.

  /// A size of one worker is used where nobody says the whole one, and where it is known how many
  /// there are; else it is a setting as any other.
  void settle_parts(ColumnKind kind, std::optional<std::size_t>& parts) {
    const Indices all = all_of(kind);
    const bool has_whole = std::any_of(all.begin(), all.end(), [&](std::size_t i) {
      return !says(i).of_one_worker && columns()[i].numeric();
    });
    // A batch says how much a step does. How much is in an epoch or a run, it does not.
    const bool epochs = holds(words_of(columns()[roles_.values[0]].name), "epoch");
    const bool tells = kind == ColumnKind::kSize || (roles_.value.of_one_step && !epochs) ||
                       roles_.value.kind != ColumnKind::kTime;
    for (const std::size_t i : all) {
      if (!says(i).of_one_worker) continue;
      const auto counts = counts_of(says(i).rank_of_part);
      if (has_whole || !tells || !counts) {
        says(i).kind = ColumnKind::kSetting;
      } else {
        parts = *counts;
      }
    }
  }

  /// The column that counts these parts of the machine, none for K; nothing where nobody does.
  std::optional<std::optional<std::size_t>> counts_of(int part) const {
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const bool counts = says(i).kind == ColumnKind::kWorkers;
      if (part != 0 && counts && rank(i) == part && is_whole(i)) return std::optional(i);
    }
    const bool of_nodes = part == kRankOfNodes || rank(roles_.workers[0]) == kRankOfNodes;
    if (of_nodes && part != 0) return std::nullopt;
    return std::optional(std::optional<std::size_t>());
  }

  void choose_settings() {
    // "run_3" beside t1 and t2 is no number of a repeat.
    for (Column& column : columns()) {
      if (column.says.kind != ColumnKind::kRepeat || !column.says.index) continue;
      column.says.kind = ColumnKind::kOther;
      column.says.no_setting = true;
    }
    roles_.repeat = the_one(ColumnKind::kRepeat);
    settle_parts(ColumnKind::kSize, roles_.parts_of_size);
    settle_parts(ColumnKind::kBatch, roles_.parts_of_batch);
    choose_sizes();
    roles_.batch = the_one(ColumnKind::kBatch);
    // Beside a batch, samples are those of a training; alone they may be anything.
    const auto converged = the_one(ColumnKind::kConverged);
    // Beside the time of one step or epoch, or a rate, they are how long somebody let it run, and
    // not what was timed.
    const bool whole = roles_.value.kind == ColumnKind::kTime && !roles_.value.of_one_step;
    const bool trains = converged && whole && columns()[*converged].numeric() &&
                        (roles_.batch || says(*converged).until_converged);
    if (trains) roles_.converged = converged;
    const auto steps = the_one(ColumnKind::kSteps);
    const bool timed = whole || is_ratio(roles_.value.kind);
    if (steps && timed && columns()[*steps].wholes == columns()[*steps].filled)
      roles_.steps = steps;
    // Without a batch epochs are how much of the data a run goes through.
    const bool epochs = converged && !trains && says(*converged).work == "epochs";
    if (epochs && roles_.sizes.empty() && whole) roles_.epochs = converged;
    roles_.statuses = all_of(ColumnKind::kStatus);
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const bool regimes = columns()[i].filled > 0 && columns()[i].regimes == columns()[i].filled;
      if (regimes && !columns()[i].ignored) roles_.regime = i;
    }
    roles_.speedup = the_one(ColumnKind::kSpeedup);
    roles_.efficiency = the_one(ColumnKind::kEfficiency);
    choose_factors();
    if (roles_.value.kind == ColumnKind::kRate)
      roles_.worker_rate = the_one(ColumnKind::kWorkerRate);
    roles_.compute = of_workers(ColumnKind::kCompute);
    roles_.communicate = of_workers(ColumnKind::kCommunicate);
    roles_.wait = of_workers(ColumnKind::kWait);
    roles_.work = of_workers(ColumnKind::kWork);
  }

  /// One column that names the size; else the product of the axes.
  void choose_sizes() {
    if (const auto size = the_one(ColumnKind::kSize)) {
      roles_.sizes = {*size};
      return;
    }
    if (!all_of(ColumnKind::kSize).empty()) return;
    Indices axes;
    for (const std::size_t i : all_of(ColumnKind::kDimension)) {
      if (!columns()[i].numeric()) continue;
      roles_.dimensions.push_back(i);
      if (says(i).axis) axes.push_back(i);
    }
    if (axes.size() < 2 || axes.size() != roles_.dimensions.size()) return;
    roles_.sizes = axes;
    roles_.dimensions.clear();
  }

  Indices of_workers(ColumnKind kind) const {
    Indices found = all_of(kind);
    std::sort(found.begin(), found.end(),
              [&](auto a, auto b) { return *says(a).index < *says(b).index; });
    return found;
  }

  /// A load balance beside an efficiency: both are POP's factors, of a run against itself and not
  /// against T(1).
  void choose_factors() {
    const auto balances = [&](std::size_t i) { return says(i).factor == "load_balance"; };
    Indices all(columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (std::none_of(all.begin(), all.end(), balances)) return;
    roles_.efficiency.reset();
    constexpr double kMostFactor = 1.2, kMostFactorPercent = 120;
    std::set<std::string> seen;
    for (const std::size_t i : all) {
      const Column& column = columns()[i];
      if (column.says.factor.empty() || column.ignored || !column.numeric()) continue;
      // A factor may be a little above 1, by the noise of a timer.
      const bool share = column.largest <= kMostFactor;
      const bool percent = !share && column.percents == 0 && column.largest <= kMostFactorPercent;
      if ((share || percent) && seen.insert(column.says.factor).second) {
        roles_.factors.emplace_back(i, share ? 1 : 0.01);
      }
    }
    if (!seen.contains("load_balance")) roles_.factors.clear();
  }

  void choose_claim_bases() {
    if (!roles_.speedup && !roles_.efficiency) return;
    Indices workers, values;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const auto& kind = says(i).base_of;
      if (!kind || !columns()[i].numeric()) continue;
      if (*kind == ColumnKind::kWorkers) workers.push_back(i);
      if (*kind == roles_.value.kind) values.push_back(i);
    }
    if (workers.size() != 1 || values.size() != 1) return;
    roles_.base_workers = workers[0];
    roles_.base_value = values[0];
  }

  bool is_used(std::size_t i) const {
    const auto in = [&](const Indices& list) {
      return std::find(list.begin(), list.end(), i) != list.end();
    };
    const bool factor = std::any_of(roles_.factors.begin(), roles_.factors.end(),
                                    [&](const auto& one) { return one.first == i; });
    for (const auto& one :
         {roles_.nodes, roles_.repeat, roles_.batch, roles_.converged, roles_.steps, roles_.epochs,
          roles_.regime, roles_.speedup, roles_.efficiency, roles_.base_workers, roles_.base_value,
          roles_.worker_rate, roles_.unit}) {
      if (one == i) return true;
    }
    return factor || in(roles_.workers) || in(roles_.values) || in(roles_.sizes) ||
           in(roles_.statuses) || in(roles_.compute) || in(roles_.communicate) || in(roles_.wait) ||
           in(roles_.work);
  }

  /// What tells no series apart, whatever it holds. Days do where nothing else numbers the repeats:
  /// each may have its own campaign.
  bool is_aside(const Column& column) const {
    const bool numbered = roles_.repeat || !all_of(ColumnKind::kCounter).empty();
    return column.ignored || column.says.is_remark || (column.says.is_day && numbered);
  }

  void choose_labels() {
    Indices& labels = roles_.labels;
    labels = roles_.sizes;
    if (roles_.batch) labels.push_back(*roles_.batch);
    // One K in several layouts is several series, too.
    const bool product = roles_.workers.size() > 1;
    if (product) labels.insert(labels.end(), roles_.workers.begin(), roles_.workers.end());
    if (roles_.nodes && !(product && roles_.nodes == roles_.workers[0]))
      labels.push_back(*roles_.nodes);
    for (const auto& part : {roles_.steps, roles_.epochs}) {
      if (part) roles_.maybe.push_back(*part);
    }
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (is_used(i) && roles_.regime != i) continue;
      const Column& column = columns()[i];
      const ColumnKind kind = column.says.kind;
      if (roles_.regime != i) roles_.unused.push_back(i);
      if (column.says.numbers_worker && !column.ignored && kind != ColumnKind::kWorkers) {
        labels.push_back(i);
        continue;
      }
      if (column.filled == 0 || is_aside(column)) continue;
      const bool setting = kind == ColumnKind::kSetting || kind == ColumnKind::kSize ||
                           kind == ColumnKind::kBatch || kind == ColumnKind::kWorkersIn ||
                           kind == ColumnKind::kWorkers || kind == ColumnKind::kDimension;
      const bool number = column.numeric();
      const bool measured = is_measured(kind) || column.says.no_setting || column.says.is_part;
      const bool text = !number && !is_measured(kind) && !column.says.is_part;
      if (setting || text) {
        labels.push_back(i);
      } else if (kind == ColumnKind::kOther && names_target(column.name)) {
        roles_.maybe.push_back(i);
      } else if (!measured && !column.says.base_of && kind != ColumnKind::kCounter &&
                 kind != ColumnKind::kRepeat) {
        roles_.maybe.push_back(i);
      }
    }
  }

  /// A point of 12.3 is no decimal sign there.
  bool is_version(std::size_t i) const {
    const Words words = words_of(columns()[i].name);
    for (const char* word : {"version", "release", "driver", "cuda", "python", "gcc", "clang"}) {
      if (holds(words, word)) return true;
    }
    return says(i).kind == ColumnKind::kBuild;
  }

  Result<void> settle_commas() {
    Cell ambiguous, unclear_point;
    bool decimal_point = false;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const Column& column = columns()[i];
      decimal_point = decimal_point || (column.decimal_point && column.numeric() && !is_version(i));
      if (!is_used(i)) continue;
      roles_.comma = both(roles_.comma, column.comma);
      if (!column.ambiguous.empty()) ambiguous = column.ambiguous;
      if (!column.unclear_point.empty()) unclear_point = column.unclear_point;
    }
    if (roles_.comma == Comma::kMixed) {
      return fail(
          {.where = where(),
           .message =
               "a comma is a decimal sign in some numbers and a thousands separator in others",
           .hint = "write numbers with a decimal point"});
    }
    if (roles_.comma != Comma::kUnknown) return {};
    // Where points are decimal signs, commas are not.
    if (decimal_point && !ambiguous.empty()) {
      roles_.comma = Comma::kThousands;
      return {};
    }
    // Semicolons separate where commas are decimal signs, and there points stand between thousands.
    if (table_.separator == ';' && !decimal_point && !unclear_point.empty()) {
      return fail(cell_error(
          table_, unclear_point,
          fmt::format(
              "'{}' is ambiguous: the point may be a decimal point or a thousands separator",
              printable(unclear_point)),
          "write no thousands separators, and more than three digits after a decimal point "
          "(1.2340), or separate columns with commas"));
    }
    if (ambiguous.empty()) return {};
    return fail(cell_error(
        table_, ambiguous,
        fmt::format("'{}' is ambiguous: the comma may be a decimal comma or a thousands separator",
                    printable(ambiguous)),
        "write numbers with a decimal point, and no thousands separators"));
  }

  const TextTable& table_;
  const ImportOptions& options_;
  Roles roles_;
};

}  // namespace

bool counts_workers(std::string_view unit) {
  // "1k" is a thousand of them.
  if (lower_case(unit) == "k") return false;
  const Words words = words_of(unit);
  return !words.empty() && std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return is_worker_word(word) || means(word, Sense::kCounting) || word == "baseline" ||
           word == "base" || word == "reference" || word == "ref";
  });
}

int rank_of_workers(std::string_view unit) {
  for (const std::string& word : words_of(unit)) {
    const double rank = std::max(number_of(word, Sense::kWorkers), number_of(word, Sense::kWorker));
    if (rank > 0) return static_cast<int>(rank);
  }
  return 0;
}

std::string Roles::name(std::size_t column) const {
  return printable(columns[column].name);
}

Result<Roles> roles_of(const TextTable& table, const ImportOptions& options) {
  return RoleFinder(table, options).find();
}

int fits(const TextTable& table, const ImportOptions& options) {
  const auto has = [&](const std::string& name) {
    return !name.empty() && column_index(table.names, name) != std::string::npos;
  };
  bool workers = has(options.worker_column) || table.key_is_guess;
  bool maybe = false;
  bool values = has(options.time_column) || has(options.rate_column);
  for (const std::string& name : table.names) {
    const ColumnName says = column_named(name);
    workers = workers || (says.kind == ColumnKind::kWorkers && !says.singular);
    maybe = maybe || says.kind == ColumnKind::kWorkers;
    values = values || is_measured(says.kind) || says.is_part;
  }
  return (workers ? 2 : maybe ? 1 : 0) + (values ? 2 : 0);
}

}  // namespace kstar
