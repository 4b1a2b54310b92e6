#include "import/csv/values.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

class ValueChooser {
 public:
  ValueChooser(const Input& input, const CsvSurvey& survey, const Facts& columns,
               const ImportOptions& options)
      : input_(input), survey_(survey), columns_(columns), options_(options) {}

  Result<CsvValues> choose() const {
    auto chosen = choose_columns_of_values();
    if (!chosen) return chosen;
    const ColumnFacts& first = columns_[chosen->columns[0]];
    if (!first.unlikely || chosen->says.kind != ColumnKind::kEfficiency) return chosen;
    return fail(
        {.where = where(),
         .message = fmt::format(
             "'{}' is called an efficiency, but is neither a share nor a percentage: it reaches {}",
             printable(first.name), shortest(first.largest)),
         .hint = fmt::format("use --rate-column '{}' if it is proportional to the work per second",
                             printable(first.name))});
  }

 private:
  Result<CsvValues> choose_columns_of_values() const {
    if (!options_.rate_column.empty()) return take_rates();
    std::string name = options_.time_column;
    if (name.empty()) name = survey_.selection.value_column;
    if (name.empty()) return recognise();
    KSTAR_TRY(const auto column, named_column(input_, columns_, "--time-column", name));
    CsvValues chosen{{column}, columns_[column].says};
    chosen.guessed = chosen.says.kind != ColumnKind::kTime && !is_relative(chosen.says.kind);
    if (chosen.guessed) chosen.says.kind = ColumnKind::kTime;
    return chosen;
  }

  std::string where() const { return printable(input_.name); }

  Result<CsvValues> take_rates() const {
    KSTAR_TRY(const auto column,
              named_column(input_, columns_, "--rate-column", options_.rate_column));
    CsvValues chosen{{column}, columns_[column].says};
    if (chosen.says.kind != ColumnKind::kWorkerRate) chosen.says.kind = ColumnKind::kRate;
    return chosen;
  }

  static bool is_rate(ColumnKind kind) {
    return kind == ColumnKind::kRate || kind == ColumnKind::kWorkerRate;
  }

  static bool is_relative(ColumnKind kind) {
    return is_rate(kind) || kind == ColumnKind::kSpeedup || kind == ColumnKind::kEfficiency;
  }

  /// By the words around their numbers.
  std::map<std::string, std::vector<std::size_t>> counted_columns(bool rates) const {
    std::map<std::string, std::vector<std::size_t>> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ColumnName& says = columns_[i].says;
      const bool kind = rates ? says.kind == ColumnKind::kRate
                              : says.kind == ColumnKind::kTime || says.kind == ColumnKind::kRepeat;
      if (kind && !says.repeat_of.empty() && columns_[i].numbers > 0) {
        found[says.repeat_of].push_back(i);
      }
    }
    return found;
  }

  /// 1, 2, 3 or 0, 1, 2 in any order.
  bool count_on(const std::vector<std::size_t>& columns) const {
    std::set<int> seen;
    for (const std::size_t i : columns) seen.insert(*columns_[i].says.index);
    return columns.size() > 1 && seen.size() == columns.size() && *seen.begin() <= 1 &&
           *seen.rbegin() - *seen.begin() + 1 == static_cast<int>(columns.size());
  }

  Result<std::optional<CsvValues>> repeats() const {
    for (const bool rates : {false, true}) {
      std::vector<std::size_t> repeats, all;
      for (const auto& [words, columns] : counted_columns(rates)) {
        if (!count_on(columns)) continue;
        if (repeats.empty()) repeats = columns;
        all.insert(all.end(), columns.begin(), columns.end());
      }
      if (all.size() > repeats.size()) return fail(several_values(all));
      if (repeats.empty()) continue;
      ColumnName says = columns_[repeats[0]].says;
      if (says.kind == ColumnKind::kRepeat) says.kind = ColumnKind::kTime;
      return CsvValues{std::move(repeats), says};
    }
    return std::nullopt;
  }

  Result<CsvValues> recognise() const {
    KSTAR_TRY(auto found, repeats());
    if (found) return std::move(*found);
    // A name without a single number in its column is taken where there is nothing better: what is
    // wrong with it then shows at its place.
    for (const bool numbers : {true, false}) {
      for (const ColumnKind kind : {ColumnKind::kTime, ColumnKind::kRate, ColumnKind::kWorkerRate,
                                    ColumnKind::kSpeedup, ColumnKind::kEfficiency}) {
        const auto best = surest(columns_, kind, numbers);
        if (best.empty()) continue;
        if (best.size() > 1) return fail(several_values(best));
        return CsvValues{best, columns_[best[0]].says};
      }
    }
    if (auto part = only_part()) return std::move(*part);
    if (const auto value = only(columns_, ColumnKind::kValue)) return name_value(*value);
    return fail(no_values());
  }

  /// "compute time" where no other time stands beside it.
  std::optional<CsvValues> only_part() const {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].says.is_part && columns_[i].numbers > 0) parts.push_back(i);
    }
    if (parts.size() != 1) return {};
    CsvValues chosen{parts, columns_[parts[0]].says};
    chosen.says.kind = ColumnKind::kTime;
    return chosen;
  }

  /// A table in long form: a column says what the value is.
  Result<CsvValues> name_value(std::size_t value) const {
    const auto metric = only(columns_, ColumnKind::kMetric);
    if (!metric) return fail(no_values());
    const SeenValues& names = columns_[*metric].values;
    if (names.size() != 1) {
      return fail({.where = where(),
                   .message = fmt::format("the column '{}' names several measured quantities",
                                          printable(columns_[*metric].name)),
                   .hint = fmt::format("pick one: --select {}={} (available: {})",
                                       printable(columns_[*metric].name), printable(names.first()),
                                       names.text())});
    }
    const ColumnName says = column_named(names.first());
    if (says.kind != ColumnKind::kTime && !is_relative(says.kind)) {
      return fail({.where = where(),
                   .message = fmt::format("'{}' is neither a time nor a rate nor a speedup",
                                          printable(names.first())),
                   .hint = fmt::format("use --time-column {0} or --rate-column {0}",
                                       printable(columns_[value].name))});
    }
    return CsvValues{{value}, says};
  }

  Error several_values(const std::vector<std::size_t>& best) const {
    return {
        .where = where(),
        .message = fmt::format("several columns could be the values: {}", listed(columns_, best)),
        .hint = fmt::format("pick one: --{}-column '{}'",
                            is_rate(columns_[best[0]].says.kind) ? "rate" : "time",
                            printable(columns_[best[0]].name))};
  }

  Error no_values() const {
    std::vector<std::size_t> possible;
    for (const ColumnKind kind : {ColumnKind::kOther, ColumnKind::kSize, ColumnKind::kValue}) {
      for (const std::size_t i : all_of(columns_, kind)) {
        if (columns_[i].numeric()) possible.push_back(i);
      }
    }
    std::string hint;
    if (!possible.empty()) {
      hint = fmt::format(
          "columns with numbers: {}; select the seconds with --select or --time-column, or the "
          "rates with --rate-column",
          listed(columns_, possible));
    }
    return {.where = where(),
            .message = "no column name means a time, a rate or a speedup",
            .hint = std::move(hint)};
  }

  Input input_;
  const CsvSurvey& survey_;
  const Facts& columns_;
  const ImportOptions& options_;
};

}  // namespace

Result<CsvValues> choose_values(const Input& input, const CsvSurvey& survey, const Facts& columns,
                                const ImportOptions& options) {
  return ValueChooser(input, survey, columns, options).choose();
}

}  // namespace kstar
