#include "import/csv/counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_words.h"

namespace kstar {

namespace {

class CountChooser {
 public:
  CountChooser(const Input& input, const CsvSurvey& survey, const Facts& columns,
               const ImportOptions& options)
      : input_(input), survey_(survey), columns_(columns), options_(options) {}

  Result<CsvCounts> choose() {
    if (!options_.worker_column.empty()) return take_named();
    found_ = whole(ColumnKind::kWorkers);
    if (found_.empty()) return fail(no_workers());
    drop_loaders();
    chosen_.columns = {*std::min_element(found_.begin(), found_.end(),
                                         [&](auto a, auto b) { return rank(a) < rank(b); })};
    multiply_parts();
    KSTAR_CHECK(multiply_threads());
    for (const std::size_t i : found_) {
      const bool product = chosen_.columns.size() > 1 && i == chosen_.columns[0];
      if (rank(i) == kRankOfNodes && (product || !is_chosen(i))) chosen_.nodes = i;
    }
    return std::move(chosen_);
  }

 private:
  int rank(std::size_t i) const { return columns_[i].says.rank; }
  std::string name(std::size_t i) const { return printable(columns_[i].name); }
  bool is_chosen(std::size_t i) const {
    return std::find(chosen_.columns.begin(), chosen_.columns.end(), i) != chosen_.columns.end();
  }

  /// Of that kind, without those that are 0 somewhere (they count something else) if others are
  /// not.
  std::vector<std::size_t> whole(ColumnKind kind) const {
    auto found = all_of(columns_, kind);
    const auto good = [&](std::size_t i) { return columns_[i].wholes == survey_.rows; };
    if (std::any_of(found.begin(), found.end(), good)) {
      found.erase(std::remove_if(found.begin(), found.end(), [&](auto i) { return !good(i); }),
                  found.end());
    }
    return found;
  }

  /// "num_workers" beside gpus are those that load data.
  void drop_loaders() {
    const bool gpus = std::any_of(found_.begin(), found_.end(),
                                  [&](std::size_t i) { return rank(i) == kRankOfGpus; });
    if (!gpus) return;
    found_.erase(std::remove_if(found_.begin(), found_.end(),
                                [&](std::size_t i) {
                                  const Words words = words_of(columns_[i].name);
                                  return words.size() > 1 && holds(words, {"workers"});
                                }),
                 found_.end());
  }

  Result<CsvCounts> take_named() {
    const auto whole_name = named_column(input_, columns_, "--k-column", options_.worker_column);
    if (whole_name) {
      chosen_.columns = {*whole_name};
      return std::move(chosen_);
    }
    if (options_.worker_column.find('*') == std::string::npos) return fail(whole_name.error());
    for (const std::string_view part : split(options_.worker_column, '*')) {
      KSTAR_TRY(const auto column,
                named_column(input_, columns_, "--k-column", std::string(trim(part))));
      chosen_.columns.push_back(column);
    }
    return std::move(chosen_);
  }

  /// Nodes times gpus per node, times threads per rank. Where the total has a column of its own,
  /// that is K.
  void multiply_parts() {
    std::vector<std::size_t> parts = all_of(columns_, ColumnKind::kWorkersIn);
    int of = rank(chosen_.columns[0]);
    while (of == kRankOfNodes || of == kRankOfRanks) {
      std::optional<std::size_t> next;
      for (const std::size_t i : parts) {
        const bool fits = columns_[i].says.rank_of_part == of && rank(i) != of &&
                          columns_[i].wholes == survey_.rows && !is_chosen(i);
        if (fits && (!next || rank(i) < rank(*next))) next = i;
      }
      if (!next) return;
      chosen_.columns.push_back(*next);
      of = rank(*next);
      if (of >= kRankOfThreads) chosen_.threads = next;
    }
  }

  /// Hybrid programs: ranks of several threads each.
  Result<void> multiply_threads() {
    const std::size_t ranks = chosen_.columns[0];
    if (rank(ranks) != kRankOfRanks || chosen_.columns.size() > 1) return {};
    for (const std::size_t i : found_) {
      if (rank(i) != kRankOfThreads) continue;
      const std::vector<double>& threads = columns_[i].counts;
      if (threads == columns_[ranks].counts) return {};  // the same, counted twice
      if (std::all_of(threads.begin(), threads.end(), [](double n) { return n == 1; })) return {};
      if (may_be_total(columns_[ranks].counts, threads)) {
        return fail({.where = printable(input_.name),
                     .message = fmt::format("'{}' may count the threads per '{}', or in total",
                                            name(i), name(ranks)),
                     .hint = which_is_k(name(ranks), name(i))});
      }
      chosen_.columns.push_back(i);
      chosen_.threads = i;
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

  Error no_workers() const {
    std::vector<std::size_t> possible;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].says.kind != ColumnKind::kValue && columns_[i].wholes == survey_.rows) {
        possible.push_back(i);
      }
    }
    return {.where = printable(input_.name),
            .message =
                "no column name means a number of workers (K, workers, threads, ranks, gpus, "
                "nodes, cores ...)",
            .hint = possible.empty()
                        ? std::string("and no column has whole numbers of at least 1")
                        : fmt::format("name it with --k-column; columns with whole numbers: {}",
                                      listed(columns_, possible))};
  }

  Input input_;
  const CsvSurvey& survey_;
  const Facts& columns_;
  const ImportOptions& options_;
  std::vector<std::size_t> found_;
  CsvCounts chosen_;
};

}  // namespace

std::string which_is_k(std::string_view outer, std::string_view inner) {
  return fmt::format(
      "name K: --k-column '{0}*{1}' if '{1}' is per '{0}', otherwise --k-column '{0}' or "
      "--k-column '{1}'",
      outer, inner);
}

Result<CsvCounts> choose_counts(const Input& input, const CsvSurvey& survey, const Facts& columns,
                                const ImportOptions& options) {
  return CountChooser(input, survey, columns, options).choose();
}

}  // namespace kstar
