#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/name_table.h"
#include "import/csv/role_step.h"

namespace kstar {

namespace {

/// An efficiency is rarely above 1, and never far above it.
constexpr double kMostShare = 1.1;
/// What a percentage of an efficiency may be. At its base it is 100.
constexpr double kLeastPercent = 30, kMostPercent = 200;
/// No speedup is so many times the workers.
constexpr double kMostSpeedup = 1.5;

class ValueChoice : RoleStep {
 public:
  using RoleStep::RoleStep;

  Result<void> run() {
    KSTAR_CHECK(choose_values());
    KSTAR_CHECK(check_units());
    KSTAR_CHECK(check_rate_units());
    KSTAR_CHECK(check_unnamed());
    settle_ratios();
    return check_efficiency();
  }

 private:
  Result<void> choose_values() {
    std::string asked = options_.time_column;
    if (!options_.rate_column.empty()) {
      KSTAR_TRY(const auto column, named_column("--rate-column", options_.rate_column));
      take({column});
      if (roles_.value.kind != ColumnKind::kWorkerRate) roles_.value.kind = ColumnKind::kRate;
      if (says(column).kind == ColumnKind::kTime) roles_.value.scale = 1;
    } else if (!asked.empty()) {
      KSTAR_TRY(const auto column, named_column("--time-column", asked));
      take_time(column);
    } else if (!roles_.selection.value_column.empty()) {
      KSTAR_TRY(const auto column, named_column("--select", roles_.selection.value_column));
      take({column});
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

  void take(const Indices& chosen) {
    roles_.values = chosen;
    roles_.value = says(chosen[0]);
  }

  /// Times of parts of the run.
  Indices all_parts() const {
    Indices parts;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (says(i).is_part && columns()[i].numbers > 0) parts.push_back(i);
    }
    return parts;
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
    take({column});
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
    if (take_served()) return {};
    for (const bool numbers : {true, false}) {
      for (const ColumnKind kind : {ColumnKind::kTime, ColumnKind::kRate, ColumnKind::kWorkerRate,
                                    ColumnKind::kSpeedup, ColumnKind::kEfficiency}) {
        const Indices best = surest(kind, numbers);
        if (best.empty()) continue;
        const Indices rivals = rivals_of(best, kind, numbers);
        if (rivals.size() > 1) return fail(several_values(rivals));
        if (kind == ColumnKind::kTime || is_ratio(kind)) KSTAR_CHECK(check_times());
        take(best);
        return {};
      }
    }
    if (take_only_part()) return {};
    const Indices value = all_of(ColumnKind::kValue);
    if (value.size() == 1) return take_named_value(value[0]);
    if (const Indices parts = all_parts(); parts.size() > 1) return fail(several_values(parts));
    return fail(no_values());
  }

  /// Where times stand that nobody can read, a speedup does not stand for them, nor does a column
  /// whose name is less sure.
  Result<void> check_times() const {
    for (const std::size_t i : surest(ColumnKind::kTime, false)) {
      if (columns()[i].numbers > 0) continue;
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, i);
        if (is_absent(cell) || is_failure(cell)) continue;
        Error error = unexpected_cell(table_, cell, "a time above 0");
        const bool other = std::any_of(columns().begin(), columns().end(), [](const Column& one) {
          return is_measured(one.says.kind) && one.numbers > 0;
        });
        if (other) error.offers = {offer("ignore", name(i), "if it is no time")};
        return fail(std::move(error));
      }
    }
    return {};
  }

  /// A service has a throughput; the latencies beside it are those of a request.
  bool take_served() {
    const Indices times = all_of(ColumnKind::kTime), rates = surest(ColumnKind::kRate);
    const bool requests =
        std::all_of(times.begin(), times.end(), [&](std::size_t i) { return says(i).of_request; });
    if (times.empty() || !requests || rates.size() != 1) return false;
    take(rates);
    return true;
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
    // "OpenMP time" beside "MPI time", which may be of the whole run or of communication.
    const Words words = words_of(columns()[best[0]].name);
    const bool other = holds(words, "latency") || holds(words, Sense::kModel);
    for (const std::size_t i : all_parts()) {
      if (other || exceeds(i, best[0])) rivals.push_back(i);
    }
    return rivals;
  }

  /// No part of a run takes longer than the run: "comp_s" beside "decomp_s" is another time.
  bool exceeds(std::size_t part, std::size_t whole) const {
    const auto seconds = [&](std::uint32_t row, std::size_t column) {
      const auto time = read_quantity(table_.at(row, column), Comma::kThousands);
      if (!time) return 0.0;
      const auto unit = seconds_in_written_unit(time->unit);
      return time->value * (time->unit.empty() || !unit ? says(column).scale : *unit);
    };
    return std::any_of(roles_.rows.begin(), roles_.rows.end(), [&](std::uint32_t row) {
      const double all = seconds(row, whole);
      return all > 0 && seconds(row, part) > all;
    });
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
    const Indices parts = all_parts();
    if (parts.size() != 1) return false;
    take(parts);
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
      Error error = refusal(
          table_.input,
          fmt::format("the column '{}' names several measured quantities", name(metrics[0])),
          fmt::format("available: {}: {}", name(metrics[0]), names.text()));
      for (const std::string& one : names.first()) {
        error.offers.push_back(
            offer("select", fmt::format("{}={}", name(metrics[0]), printable(one))));
      }
      return fail(std::move(error));
    }
    const std::string& only = names.first().front();
    const ColumnName meant = column_named(only);
    if (!is_measured(meant.kind)) {
      return fail(
          refusal(table_.input,
                  fmt::format("'{}' is neither a time nor a rate nor a speedup", printable(only)),
                  {offer("time-column", name(value), "if it is one, in seconds"),
                   offer("rate-column", name(value), "if it is work per second")}));
    }
    roles_.values = {value};
    roles_.value = meant;
    return {};
  }

  Error several_values(const Indices& best) const {
    const bool same = std::all_of(best.begin(), best.end(), [&](std::size_t i) {
      return columns()[i].name == columns()[best[0]].name;
    });
    Error error =
        refusal(table_.input, fmt::format("several columns could be the values: {}", listed(best)));
    if (same) error.offers = same_name(best[0]).offers;
    const bool rates = is_rate(says(best[0]).kind) || is_ratio(says(best[0]).kind);
    for (const std::size_t i : same ? Indices() : best) {
      if (error.offers.size() == kShownColumns) break;
      error.offers.push_back(offer(rates ? "rate-column" : "time-column", name(i)));
    }
    return error;
  }

  /// An error is no T, nor is a count of iterations.
  static bool holds_error(std::string_view name) {
    const Words words = words_of(name);
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word == "error" || word == "err" || word == "cnt";
    });
  }

  Error no_values() const {
    Indices possible;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const ColumnKind kind = says(i).kind;
      const bool free = kind == ColumnKind::kOther || kind == ColumnKind::kSize ||
                        kind == ColumnKind::kValue || kind == ColumnKind::kDimension;
      if (columns()[i].numbers > 0 && says(i).is_transformed) return transformed_time(i);
      const bool error = holds_error(columns()[i].name);
      if (free && !error && columns()[i].numeric() && !columns()[i].ignored) possible.push_back(i);
    }
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (!is_measured(says(i).kind) || columns()[i].filled > 0 || columns()[i].ignored) continue;
      return refusal(table_.input, fmt::format("the column '{}' has no values", name(i)));
    }
    Error error = refusal(table_.input, "no column name means a time, a rate or a speedup");
    error.offers = across_offers();
    if (possible.empty()) return error;
    const std::string likely = name(likeliest(possible));
    error.offers.push_back(offer("time-column", likely, "if it holds times, in seconds"));
    error.offers.push_back(offer("rate-column", likely, "if it holds rates or speedups"));
    if (possible.size() > 1) {
      error.hint = fmt::format("columns with numbers: {}", listed(possible));
    }
    return error;
  }

  /// Read as seconds it would be wrong, whatever flag names it.
  Error transformed_time(std::size_t i) const {
    return refusal(table_.input, fmt::format("'{}' is not T: it was computed from it", name(i)),
                   "write the times themselves, in seconds or with a plain unit: 'time (ms)'");
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
  /// "800 MB/s" above "1.2 GB/s": their numbers are of different units.
  Result<void> check_rate_units() const {
    if (!is_rate(roles_.value.kind)) return {};
    std::string_view first;
    for (const std::size_t column : roles_.values) {
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, column);
        const auto quantity = read_quantity(cell, Comma::kThousands);
        if (!quantity || !per_second(quantity->unit)) continue;
        const std::string_view unit = prefix_of_rate(quantity->unit).second;
        if (first.empty()) first = unit;
        if (unit == first) continue;
        return fail(cell_error(table_, cell,
                               fmt::format("'{}' is not in {}, as the values above it are",
                                           printable(cell), printable(first)),
                               "write every rate in one unit"));
      }
    }
    return {};
  }

  /// Columns without a header, the second of which begins with exactly 1: no time does that. Nor
  /// does it grow faster than the workers do.
  Result<void> check_unnamed() const {
    if (table_.has_header || roles_.rows.size() < 2) return {};
    const auto k = numbers_in(0), values = numbers_in(1);
    const double least = *std::min_element(k.begin(), k.end());
    if (values.back() * k.front() > values.front() * k.back() && k.back() > k.front() &&
        std::is_sorted(values.begin(), values.end())) {
      return fail(refusal(table_.input,
                          "the table has no header, and its values grow faster than what "
                          "stands before them: that may be sizes, and no workers",
                          {offer("columns", "K,time_s", "if they are workers and seconds")}));
    }
    for (std::size_t i = 0; i < k.size(); ++i) {
      if (k[i] == least && values[i] != 1) return {};
    }
    return fail(refusal(table_.input,
                        fmt::format("the table has no header, and its values begin with 1 at "
                                    "K = {}: they may be speedups, efficiencies or seconds",
                                    shortest(least)),
                        {offer("columns", "K,speedup"), offer("columns", "K,efficiency"),
                         offer("columns", "K,time_s")}));
  }

  bool says_unit() const { return roles_.value.unit > 0 || roles_.value.scale != 1; }

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
    return fail(refusal(
        table_.input,
        fmt::format(
            "'{}' is called an efficiency, but is neither a share nor a percentage: it reaches {}",
            printable(first.name), shortest(first.largest)),
        {offer("rate-column", printable(first.name),
               "if it is proportional to the work per second")}));
  }
};

}  // namespace

Result<void> choose_values(RoleSearch& search) {
  return ValueChoice(search).run();
}

}  // namespace kstar
