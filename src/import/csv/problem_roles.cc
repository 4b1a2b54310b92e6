#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_table.h"
#include "import/csv/role_step.h"

namespace kstar {

namespace {

class ProblemChoice : RoleStep {
 public:
  using RoleStep::RoleStep;

  Result<void> run() {
    KSTAR_CHECK(choose_unit());
    choose_settings();
    choose_claim_bases();
    choose_labels();
    return settle_commas();
  }

 private:
  /// A column named "unit" says that of the times.
  Result<void> choose_unit() {
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const Words words = words_of(columns()[i].name);
      const bool named =
          (words.size() == 1 && means(words[0], Sense::kUnit)) || is_phrase(words, Sense::kUnit);
      // Numbers are units of work.
      if (!named || columns()[i].ignored || columns()[i].numbers > 0) continue;
      if (columns()[i].filled == 0) continue;
      if (roles_.value.kind == ColumnKind::kTime) {
        roles_.unit = i;
      } else if (!is_constant(i)) {
        return fail(
            refusal(table_.input, fmt::format("'{}' changes between the rows", name(i)),
                    {offer("ignore", name(i),
                           fmt::format("if that is no unit of '{}'", name(roles_.values[0])))},
                    "write every value in one unit"));
      }
    }
    return {};
  }

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
    return says(i).kind == ColumnKind::kBuild ||
           holds(words_of(columns()[i].name), Sense::kVersion);
  }

  /// Whether a decimal point has three digits behind it in another column, as 0.125 has: then it
  /// may be one here as well.
  bool prints_three_digits(std::size_t but) const {
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (i == but || !columns()[i].numeric()) continue;
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, i);
        const std::size_t point = cell.find('.');
        if (point != cell.npos && cell.size() == point + 4 && !is_unclear_point(cell)) return true;
      }
    }
    return false;
  }

  /// Rates that all look like 1.436, of a service that answers thousands of requests a second; or
  /// 980 beside 1.436, where nothing lies between them.
  bool may_have_thousands(std::size_t i) const {
    constexpr double kGap = 10, kThreeDigits = 100;
    const Column& column = columns()[i];
    if (column.unclear_point.empty() || column.decimal_point) return false;
    const bool served = holds(words_of(column.name), Sense::kServed);
    if (is_rate(roles_.value.kind) && served) return !prints_three_digits(i);
    double most = 0, least = HUGE_VAL;  // with a point, and without
    for (const std::uint32_t row : roles_.rows) {
      const Cell cell = table_.at(row, i);
      const double value = number_at(row, i);
      if (value <= 0) continue;
      if (is_unclear_point(cell)) {
        most = std::max(most, value);
      } else {
        least = std::min(least, value);
      }
    }
    return least < HUGE_VAL && least >= kThreeDigits && least > kGap * most;
  }

  /// A comma or a point with three digits behind it.
  Error unclear_mark(Cell cell, std::string_view mark) const {
    Error error = cell_error(
        table_, cell,
        fmt::format("'{}' is ambiguous: the {} may be a decimal {} or a thousands separator",
                    printable(cell), mark, mark));
    const bool comma = mark == "comma";
    error.offers = {offer("decimal", std::string(mark), fmt::format("if it is a decimal {}", mark)),
                    offer("decimal", comma ? "point" : "comma", "if it stands between thousands")};
    return error;
  }

  Result<void> settle_commas() {
    if (!options_.decimal.empty()) {
      roles_.comma = options_.decimal == "comma" ? Comma::kDecimal : Comma::kThousands;
      return {};
    }
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
          refusal(table_.input,
                  "a comma is a decimal sign in some numbers and a thousands separator in others",
                  "write numbers with a decimal point"));
    }
    if (roles_.comma != Comma::kUnknown) return {};
    // Where points are decimal signs, commas are not.
    if (decimal_point && !ambiguous.empty()) {
      roles_.comma = Comma::kThousands;
      return {};
    }
    for (const std::size_t i : roles_.values) {
      if (!decimal_point) roles_.unclear_point = columns()[i].unclear_point;
      const bool told = decimal_point && !is_rate(roles_.value.kind);
      if (told || !may_have_thousands(i)) continue;
      return fail(unclear_mark(columns()[i].unclear_point, "point"));
    }
    // Semicolons separate where commas are decimal signs, and there points stand between thousands.
    if (table_.separator == ';' && !decimal_point && !unclear_point.empty()) {
      return fail(unclear_mark(unclear_point, "point"));
    }
    if (ambiguous.empty()) return {};
    return fail(unclear_mark(ambiguous, "comma"));
  }
};

}  // namespace

Result<void> choose_problem(RoleSearch& search) {
  return ProblemChoice(search).run();
}

}  // namespace kstar
