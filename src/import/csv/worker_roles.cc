#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_table.h"
#include "import/csv/role_step.h"

namespace kstar {

namespace {

class WorkerChoice : RoleStep {
 public:
  using RoleStep::RoleStep;

  Result<void> run() {
    KSTAR_CHECK(choose_workers());
    KSTAR_CHECK(check_names());
    return check_kinds_of_workers();
  }

 private:
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
      return fail(refusal(table_.input,
                          fmt::format("'{}' may count the threads of a rank, or in total", threads),
                          {offer("k-column", name(*nodes) + "*" + name(i) + "*" + threads,
                                 fmt::format("if '{}' is that of a rank", threads)),
                           offer("k-column", name(*nodes) + "*" + name(i), "if K counts ranks"),
                           offer("k-column", threads, "if it counts all threads")}));
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
        return fail(refusal(
            table_.input,
            fmt::format("'{}' may count the threads per '{}', or in total", name(i), name(ranks)),
            {offer("k-column", name(ranks) + "*" + name(i),
                   fmt::format("if '{}' is per '{}'", name(i), name(ranks))),
             offer("k-column", name(i), "if it is the total"),
             offer("k-column", name(ranks), "if K counts these")}));
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

  /// Whether the name leaves open that it counts workers.
  bool may_count(std::size_t i) const {
    const ColumnName& named = says(i);
    // A row may be that of a serial program.
    const bool whole = columns()[i].wholes > 0 && columns()[i].wholes + 1 >= roles_.rows.size() &&
                       columns()[i].numbers + 1 >= roles_.rows.size();
    const bool free = named.kind == ColumnKind::kOther || named.kind == ColumnKind::kWorkersIn;
    const bool other = holds(words_of(columns()[i].name), Sense::kSample) || is_number(name(i));
    return whole && free && !other && !named.is_remark && !named.is_day && !named.no_setting &&
           !columns()[i].ignored;
  }

  /// Whether every speedup beside it is far above it: no number of workers has such.
  bool is_outrun(std::size_t i) const {
    constexpr double kFarAbove = 2;
    const auto speedup = the_one(ColumnKind::kSpeedup);
    if (!speedup) return false;
    const auto counts = numbers_in(i), speedups = numbers_in(*speedup);
    for (std::size_t row = 0; row < counts.size(); ++row) {
      if (speedups[row] <= kFarAbove * counts[row]) return false;
    }
    return !counts.empty();
  }

  Error no_workers() const {
    Indices possible;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      if (may_count(i) && !is_outrun(i)) possible.push_back(i);
    }
    std::stable_sort(possible.begin(), possible.end(), [&](std::size_t a, std::size_t b) {
      return columns()[a].largest < columns()[b].largest;
    });
    Error error = refusal(table_.input,
                          "no column name means a number of workers (K, workers, threads, ranks, "
                          "gpus, nodes, cores ...)");
    error.offers = across_offers();
    for (const std::size_t i : possible) {
      if (error.offers.size() == kShownColumns) break;
      error.offers.push_back(offer("k-column", name(i), "if it counts them"));
    }
    if (error.offers.empty()) {
      error.offers.push_back(offer("k", "N", "if all rows are steps of one run of N workers"));
    }
    if (possible.empty()) error.hint = "no other column may be K";
    if (possible.size() > kShownColumns) {
      error.hint = fmt::format("columns that may be it: {}", listed(possible));
    }
    return error;
  }

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

  Error different_things(Cell cell, std::string_view one, std::string_view other) const {
    return cell_error(
        table_, cell,
        fmt::format("'{}' and '{}' are different workers", printable(one), printable(other)),
        "keep the rows of one kind of worker, or write the kind in another column");
  }

  /// "8 gpus" and "1 node" are no two numbers of one thing.
  Result<void> check_kinds_of_workers() const {
    for (const std::size_t column : roles_.workers) {
      int kind = 0;
      bool plain = false;
      std::string_view things;  ///< "2x A100"
      Cell first;
      for (const std::uint32_t row : roles_.rows) {
        const Cell cell = table_.at(row, column);
        const auto quantity = read_quantity(cell, Comma::kThousands);
        if (!quantity) continue;
        const std::string_view thing = counted_thing(quantity->unit);
        if (!thing.empty() && !things.empty() && thing != things) {
          return fail(different_things(cell, thing, things));
        }
        if (!thing.empty()) things = thing;
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
};

}  // namespace

Result<void> choose_workers(RoleSearch& search) {
  return WorkerChoice(search).run();
}

}  // namespace kstar
