#include "import/csv/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/counts.h"
#include "import/csv/facts.h"
#include "import/csv/name_words.h"
#include "import/csv/pop_columns.h"
#include "import/csv/values.h"

namespace kstar {

namespace {

/// Finds the columns one after the other; each step may fail.
class ColumnChooser {
 public:
  ColumnChooser(const Input& input, const CsvSurvey& survey, const ImportOptions& options)
      : input_(input), survey_(survey), columns_(survey.columns), options_(options) {}

  Result<CsvColumns> choose() {
    settle_minutes();
    KSTAR_CHECK(take_values());
    KSTAR_CHECK(choose_workers());
    choose_settings();
    choose_bases();
    choose_worker_parts();
    choose_labels();
    KSTAR_CHECK(settle_commas());
    return std::move(chosen_);
  }

 private:
  std::string where() const { return printable(input_.name); }

  /// "time_min" is in minutes, unless "time_max" or a mean stands beside it.
  void settle_minutes() {
    const bool summaries = std::any_of(columns_.begin(), columns_.end(), [](const auto& column) {
      return !column.says.statistic.empty();
    });
    for (ColumnFacts& column : columns_) {
      if (!column.says.minutes_or_minimum || !summaries) continue;
      column.says.scale = 1;
      column.says.statistic = "min";
      column.says.unexplained += 1;
    }
  }

  Result<void> take_values() {
    KSTAR_TRY(auto values, choose_values(input_, survey_, columns_, options_));
    chosen_.values = std::move(values.columns);
    chosen_.value = std::move(values.says);
    chosen_.guessed = values.guessed;
    for (const std::size_t i : chosen_.values) columns_[i].says.kind = ColumnKind::kValue;
    return {};
  }

  Result<void> choose_workers() {
    KSTAR_TRY(auto counts, choose_counts(input_, survey_, columns_, options_));
    chosen_.workers = std::move(counts.columns);
    chosen_.nodes = counts.nodes;
    chosen_.threads = counts.threads;
    for (const std::size_t i : chosen_.workers) columns_[i].says.kind = ColumnKind::kWorkers;
    return {};
  }

  /// A size of one worker is used where nobody says the whole one, and where it is known how many
  /// there are; else it is a setting as any other.
  void settle_parts(ColumnKind kind, std::optional<std::size_t>& parts) {
    const auto all = all_of(columns_, kind);
    const bool has_whole = std::any_of(all.begin(), all.end(), [&](std::size_t i) {
      return !columns_[i].says.of_one_worker && columns_[i].numeric();
    });
    // A batch says how much a step does. How much is in an epoch or a run, it does not.
    const bool tells = kind == ColumnKind::kSize || (chosen_.value.of_one_step && !of_epochs()) ||
                       chosen_.value.kind != ColumnKind::kTime;
    for (const std::size_t i : all) {
      ColumnName& says = columns_[i].says;
      if (!says.of_one_worker) continue;
      const auto counts = counts_of(says.rank_of_part);
      if (has_whole || !tells || !counts) {
        says.kind = ColumnKind::kSetting;
      } else {
        parts = *counts;
      }
    }
  }

  bool of_epochs() const { return holds(words_of(columns_[chosen_.values[0]].name), {"epoch"}); }

  /// The column that counts these parts of the machine, none for K; nothing where nobody does.
  std::optional<std::optional<std::size_t>> counts_of(int rank) const {
    const auto rank_of = [&](std::size_t i) { return survey_.columns[i].says.rank; };
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool counts = survey_.columns[i].says.kind == ColumnKind::kWorkers;
      if (rank != 0 && counts && rank_of(i) == rank && columns_[i].wholes == survey_.rows) {
        return std::optional(i);
      }
    }
    const bool of_nodes = rank == kRankOfNodes || rank_of(chosen_.workers[0]) == kRankOfNodes;
    if (of_nodes && rank != 0) return std::nullopt;
    return std::optional(std::optional<std::size_t>());
  }

  void choose_settings() {
    const auto the_one = [&](ColumnKind kind) {
      const auto best = surest(columns_, kind);
      return best.size() == 1 ? std::optional(best[0]) : std::nullopt;
    };
    // "run_3" beside t1 and t2 is no number of a repeat.
    for (ColumnFacts& column : columns_) {
      if (column.says.kind != ColumnKind::kRepeat || !column.says.index) continue;
      column.says.kind = ColumnKind::kOther;
      column.says.no_setting = true;
    }
    chosen_.repeat = the_one(ColumnKind::kRepeat);
    settle_parts(ColumnKind::kSize, chosen_.parts_of_size);
    settle_parts(ColumnKind::kBatch, chosen_.parts_of_batch);
    chosen_.size = the_one(ColumnKind::kSize);
    chosen_.batch = the_one(ColumnKind::kBatch);
    // Beside a batch, samples are those of a training; alone they may be anything.
    const auto converged = the_one(ColumnKind::kConverged);
    // Beside the time of one step or epoch, or a rate, they are how long somebody let it run, and
    // not what was timed.
    const bool whole = chosen_.value.kind == ColumnKind::kTime && !chosen_.value.of_one_step;
    const bool trains = converged && whole && columns_[*converged].numeric() &&
                        (chosen_.batch || columns_[*converged].says.until_converged);
    if (trains) chosen_.converged = converged;
    const auto steps = the_one(ColumnKind::kSteps);
    const bool timed = whole || is_ratio(chosen_.value.kind);
    if (steps && timed && columns_[*steps].wholes == columns_[*steps].filled) chosen_.steps = steps;
    // Without a batch epochs are how much of the data a run goes through.
    const bool epochs = converged && !trains && columns_[*converged].says.work == "epochs";
    if (epochs && !chosen_.size && whole) chosen_.epochs = converged;
    chosen_.statuses = all_of(columns_, ColumnKind::kStatus);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool regimes = columns_[i].filled > 0 && columns_[i].regimes == columns_[i].filled;
      if (regimes && !columns_[i].ignored) chosen_.regime = i;
    }
    chosen_.speedup = the_one(ColumnKind::kSpeedup);
    chosen_.efficiency = the_one(ColumnKind::kEfficiency);
    if (has_pop_factors()) chosen_.efficiency.reset();
    chosen_.pop = pop_columns(columns_);
    if (chosen_.value.kind == ColumnKind::kRate) {
      chosen_.worker_rate = the_one(ColumnKind::kWorkerRate);
    }
  }

  /// A load balance beside an efficiency: both are POP's factors, of a run against itself and not
  /// against T(1).
  bool has_pop_factors() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const ColumnFacts& column) {
      const std::string name = lower_case(column.name);
      return name.find("load") != std::string::npos && name.find("balance") != std::string::npos;
    });
  }

  void choose_bases() {
    if (!chosen_.speedup && !chosen_.efficiency) return;
    std::vector<std::size_t> workers, values;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& kind = columns_[i].says.base_of;
      if (!kind || !columns_[i].numeric()) continue;
      if (*kind == ColumnKind::kWorkers) workers.push_back(i);
      if (*kind == chosen_.value.kind) values.push_back(i);
    }
    if (workers.size() != 1 || values.size() != 1) return;
    chosen_.base_workers = workers[0];
    chosen_.base_value = values[0];
    chosen_.base_scale = columns_[values[0]].says.scale;
  }

  void choose_worker_parts() {
    const auto parts = [&](ColumnKind kind) {
      auto found = all_of(columns_, kind);
      std::sort(found.begin(), found.end(),
                [&](auto a, auto b) { return *columns_[a].says.index < *columns_[b].says.index; });
      return found;
    };
    chosen_.compute = parts(ColumnKind::kCompute);
    chosen_.communicate = parts(ColumnKind::kCommunicate);
    chosen_.wait = parts(ColumnKind::kWait);
    chosen_.work = parts(ColumnKind::kWork);
  }

  bool is_used(std::size_t i) const {
    const auto in = [&](const std::vector<std::size_t>& list) {
      return std::find(list.begin(), list.end(), i) != list.end();
    };
    const auto is_pop = [i](const PopColumn& one) { return one.column == i; };
    if (std::any_of(chosen_.pop.begin(), chosen_.pop.end(), is_pop)) return true;
    return in(chosen_.workers) || in(chosen_.values) || chosen_.nodes == i || chosen_.repeat == i ||
           chosen_.size == i || chosen_.batch == i || in(chosen_.statuses) ||
           chosen_.converged == i || chosen_.steps == i || chosen_.epochs == i ||
           chosen_.regime == i || chosen_.speedup == i || chosen_.efficiency == i ||
           chosen_.base_workers == i || chosen_.base_value == i || chosen_.worker_rate == i ||
           in(chosen_.compute) || in(chosen_.communicate) || in(chosen_.wait) || in(chosen_.work);
  }

  /// Whether a column of numbers that nobody knows may say what a row is of.
  static bool may_be_factor(const ColumnName& says) {
    return (says.kind == ColumnKind::kOther || says.kind == ColumnKind::kConverged ||
            says.kind == ColumnKind::kSteps) &&
           !says.no_setting && !says.base_of;
  }

  /// What tells no series apart, whatever it holds. Days do where nothing else numbers the repeats:
  /// each may have its own campaign.
  bool is_aside(const ColumnFacts& column) const {
    const bool numbered = chosen_.repeat || !all_of(columns_, ColumnKind::kCounter).empty();
    return column.ignored || column.says.is_remark || (column.says.is_day && numbered);
  }

  void choose_labels() {
    for (const auto& part : {chosen_.size, chosen_.batch}) {
      if (part) chosen_.labels.push_back(*part);
    }
    // One K in several layouts is several series, too.
    const bool product = chosen_.workers.size() > 1;
    if (product)
      chosen_.labels.insert(chosen_.labels.end(), chosen_.workers.begin(), chosen_.workers.end());
    if (chosen_.nodes && !(product && chosen_.nodes == chosen_.workers[0])) {
      chosen_.labels.push_back(*chosen_.nodes);
    }
    for (const auto& part : {chosen_.steps, chosen_.epochs}) {
      if (part) chosen_.factors.push_back(*part);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (is_used(i) && chosen_.regime != i) continue;
      const ColumnFacts& column = columns_[i];
      const bool setting =
          column.says.kind == ColumnKind::kSetting || column.says.kind == ColumnKind::kSize ||
          column.says.kind == ColumnKind::kBatch || column.says.kind == ColumnKind::kWorkersIn ||
          column.says.kind == ColumnKind::kWorkers;
      if (column.filled == 0) continue;
      if (is_aside(column)) {
        chosen_.left_out.push_back(i);
        continue;
      }
      if (!column.numeric() || setting) {
        chosen_.labels.push_back(i);
      } else if (column.says.kind == ColumnKind::kOther && names_target(column.name)) {
        chosen_.factors.push_back(i);
      } else if (!column.name.empty()) {
        chosen_.left_out.push_back(i);
        if (may_be_factor(column.says)) chosen_.factors.push_back(i);
      }
    }
  }

  /// A point of 12.3 is no decimal sign there.
  bool is_version(std::size_t i) const {
    return columns_[i].says.kind == ColumnKind::kBuild ||
           holds(words_of(columns_[i].name),
                 {"version", "release", "driver", "cuda", "python", "gcc", "clang"});
  }

  Result<void> settle_commas() {
    std::string_view ambiguous, unclear_point;
    bool decimal_point = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      decimal_point =
          decimal_point || (columns_[i].decimal_point && columns_[i].numeric() && !is_version(i));
      if (!is_used(i)) continue;
      chosen_.comma = both(chosen_.comma, columns_[i].comma);
      if (!columns_[i].ambiguous.empty()) ambiguous = columns_[i].ambiguous;
      if (!columns_[i].unclear_point.empty()) unclear_point = columns_[i].unclear_point;
    }
    if (chosen_.comma == Comma::kMixed) {
      return fail(
          {.where = where(),
           .message =
               "a comma is a decimal sign in some numbers and a thousands separator in others",
           .hint = "write numbers with a decimal point"});
    }
    if (chosen_.comma != Comma::kUnknown) return {};
    // Where points are decimal signs, commas are not.
    if (decimal_point && !ambiguous.empty()) {
      chosen_.comma = Comma::kThousands;
      return {};
    }
    // Semicolons separate where commas are decimal signs, and there points stand between thousands.
    if (survey_.separator == ';' && !decimal_point && !unclear_point.empty()) {
      return fail(error_at(
          input_, unclear_point.data(),
          fmt::format(
              "'{}' is ambiguous: the point may be a decimal point or a thousands separator",
              printable(unclear_point)),
          "write no thousands separators, and more than three digits after a decimal point "
          "(1.2340), or separate columns with commas"));
    }
    if (ambiguous.empty()) return {};
    return fail(error_at(
        input_, ambiguous.data(),
        fmt::format("'{}' is ambiguous: the comma may be a decimal comma or a thousands separator",
                    printable(ambiguous)),
        "write numbers with a decimal point, and no thousands separators"));
  }

  Input input_;
  const CsvSurvey& survey_;
  Facts columns_;
  const ImportOptions& options_;
  CsvColumns chosen_;
};

}  // namespace

Result<CsvColumns> choose_columns(const Input& input, const CsvSurvey& survey,
                                  const ImportOptions& options) {
  return ColumnChooser(input, survey, options).choose();
}

}  // namespace kstar
