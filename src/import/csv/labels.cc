#include "import/csv/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/product.h"
#include "base/text.h"
#include "import/csv/name_table.h"
#include "import/offers.h"

namespace kstar {

namespace {

/// A hint is read at a glance: the columns that matter most stand first.
constexpr std::size_t kShownLabels = 3;

}  // namespace

bool is_one_value(const Label& label) {
  return std::all_of(label.at.begin(), label.at.end(),
                     [&](const auto& entry) { return entry.second == label.at.begin()->second; });
}

bool grows_with_workers(const Label& label, Numbers numbers) {
  double last = 0, first = 0;
  std::optional<std::string_view> unit;
  for (const auto& [workers, cell] : label.at) {
    auto value = parse_product(cell);
    const auto quantity = read_quantity(cell, Comma::kThousands);  // 10M, 7B
    if (!value && quantity) {
      const bool shortened = is_shortened(*quantity);
      value = quantity->value * shortened_by(*quantity);
      const std::string_view here = shortened ? std::string_view() : quantity->unit;
      const bool number = here.empty() || here == "B";
      if (!number || unit.value_or(here) != here) return false;
      unit = here;
    }
    if (!value || !(*value > 0) || *value < last) return false;
    if (numbers == Numbers::kWhole && *value != std::floor(*value)) return false;
    if (first == 0) first = *value;
    last = *value;
  }
  return last > first;
}

TableLabels::TableLabels(const KnownTable& known) : known_(known) {
  const Roles& roles = known.roles;
  for (const std::size_t column : roles.labels) {
    const Column& facts = roles.columns[column];
    // A load that was measured is named as one that was set, and a real number as a dimension.
    const bool measured =
        (facts.says.kind == ColumnKind::kWorkers && facts.says.rank >= kRankOfClients) ||
        (facts.says.kind == ColumnKind::kDimension && facts.wholes < facts.filled);
    labels_.push_back({.column = column,
                       .counts = facts.numeric() && !measured,
                       .is_maybe = measured && facts.numeric()});
  }
  for (const std::size_t column : roles.maybe) {
    labels_.push_back({.column = column, .is_maybe = true});
  }
}

void TableLabels::see(std::size_t row, int workers) {
  for (Label& label : labels_) {
    const Cell cell = known_.table.at(row, label.column);
    ++label.rows;
    const bool same = label.rows > 1 && cell == label.last;
    if (!same) label.values.add(cell);
    if (!same || workers != label.last_workers) {
      const auto [place, is_new] = label.at.emplace(workers, cell);
      if (!is_new && place->second != cell) {
        label.changes_at_one_k = true;
        // Names that differ in their numbers only are those of repeats.
        label.other_words_at_one_k =
            label.other_words_at_one_k ||
            (!label.values.many() &&
             words_without_numbers(place->second) != words_without_numbers(cell));
      }
    }
    if (label.is_maybe && !label.values.many()) ++label.seen_at[cell][workers];
    label.last = cell;
    label.last_workers = workers;
  }
}

bool TableLabels::distinguishes(const Label& label) const {
  if (!label.changes_at_one_k) return false;
  const Column& column = known_.roles.columns[label.column];
  const bool each_its_own = label.values.size() == label.rows || label.values.many();
  if (!label.is_maybe) {
    return label.counts || !each_its_own || label.other_words_at_one_k ||
           names_setting(column.name);
  }
  if (comes_again(label)) return true;
  // Where nothing numbers the repeats, rows that differ in a whole number are none.
  const bool numbered =
      known_.roles.repeat ||
      std::any_of(known_.roles.columns.begin(), known_.roles.columns.end(),
                  [](const Column& one) { return one.says.kind == ColumnKind::kCounter; });
  const bool setting =
      column.says.kind == ColumnKind::kOther || column.says.kind == ColumnKind::kConverged;
  return setting && !numbered && column.wholes == column.filled && !label.values.many();
}

bool TableLabels::comes_again(const Label& label) {
  constexpr double kMost = 0.8;
  if (label.values.many()) return false;
  std::size_t values = 0, rows = 0;
  for (const auto& [value, at] : label.seen_at) {
    if (at.size() < 2) continue;
    ++values;
    for (const auto& [workers, count] : at) rows += count;
  }
  return values > 1 && static_cast<double>(rows) >= kMost * static_cast<double>(label.rows);
}

/// H100 at some K, and A100 at others: no workers of one kind.
bool TableLabels::names_other_chips(const Words& words, const Label& label) {
  const bool chip = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return number_of(word, Sense::kWorker) == kRankOfGpus;
  });
  std::set<std::string> kinds;
  for (const auto& [workers, cell] : label.at) {
    const bool told = !is_absent(cell) && !holds(words_of(cell), Sense::kSerial);
    if (chip && told) kinds.insert(words_without_numbers(cell));
  }
  return kinds.size() > 1;
}

/// A text that changes while K grows and then is what it was: one machine at 8, 16 and 32 workers,
/// another at 12 and 24.
bool TableLabels::comes_back(const Label& label) const {
  const Column& column = known_.roles.columns[label.column];
  if (label.is_maybe || label.changes_at_one_k || column.numeric() || label.at.empty()) {
    return false;
  }
  // Another model is another job, at whatever K; a model of an accelerator is a machine.
  const Words words = words_of(column.name);
  const bool subject = holds(words, Sense::kSubject) &&
                       std::none_of(words.begin(), words.end(),
                                    [](const std::string& word) { return is_worker_word(word); });
  const bool serial = holds(words_of(label.at.begin()->second), Sense::kNotMeasured);
  if (subject && !serial && !is_one_value(label)) return true;
  if (names_other_chips(words, label)) return true;
  std::set<Cell> seen;
  Cell last;
  for (const auto& [workers, cell] : label.at) {
    if (is_absent(cell)) continue;
    if (cell != last && !seen.insert(cell).second) return true;
    last = cell;
  }
  return false;
}

/// "2 runs of solver_a" without its numbers: what a text says beside them. "node07" is a node, "2
/// nodes" are likewise, an L4 is no H200.
std::string TableLabels::words_without_numbers(Cell cell) {
  std::string kept;
  bool number = false;  // in this word
  const auto end_word = [&] {
    if (kept.ends_with('s')) kept.pop_back();
  };
  for (const char c : lower_case(cell)) {
    const bool letter = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80U;
    number = is_digit(c) || (number && letter);
    if (letter && !number) kept += c;
    if (letter || number || kept.empty() || kept.back() == ' ') continue;
    end_word();
    kept += ' ';
  }
  end_word();
  return kept;
}

Error TableLabels::rows_of_workers(const Label& label) const {
  const std::string name = known_.roles.name(label.column);
  return refusal(
      known_.table.input,
      fmt::format("'{}' changes at one K: there is a row for each worker of a run", name),
      {select_one({&label}), offer("ignore", name, "if each row is a run")},
      "T is that of the slowest: keep the largest time of each run");
}

Result<void> TableLabels::check_one_series() const {
  for (const Label& label : labels_) {
    const Column& column = known_.roles.columns[label.column];
    if (column.says.numbers_worker && column.numeric() && label.changes_at_one_k) {
      return fail(rows_of_workers(label));
    }
  }
  std::vector<const Label*> telling;
  for (const Label& label : labels_) {
    if (distinguishes(label)) telling.push_back(&label);
  }
  for (const Label& label : labels_) {
    if (telling.empty() && comes_back(label)) telling.push_back(&label);
  }
  if (telling.empty()) {
    const Label* const mixed = mixed_layout();
    if (mixed == nullptr || !known_.options.worker_column.empty()) return {};
    return fail(several_counts(*mixed));
  }
  const auto counts = [&](const Label* label) {
    const ColumnName& says = known_.roles.columns[label->column].says;
    return says.rank != 0 || says.kind == ColumnKind::kWorkersIn;
  };
  if (std::all_of(telling.begin(), telling.end(), counts)) {
    if (known_.options.worker_column.empty()) return fail(several_counts(*telling.back()));
    return fail(several_series(telling));
  }
  telling.erase(std::remove_if(telling.begin(), telling.end(), counts), telling.end());
  return fail(several_series(needed(telling)));
}

/// A factor of K, or a count that may be one, that falls somewhere while K grows: the rows go
/// through K in several layouts, as 1 x 3, 2 x 2 and 1 x 5. Null where there is none.
const Label* TableLabels::mixed_layout() const {
  const std::vector<std::size_t>& workers = known_.roles.workers;
  const bool product = workers.size() > 1 || known_.roles.counted_twice;
  for (const Label& label : labels_) {
    const ColumnName& says = known_.roles.columns[label.column].says;
    const bool counts = says.kind == ColumnKind::kWorkers && says.rank < kRankOfClients;
    const bool factor =
        product ? std::find(workers.begin(), workers.end(), label.column) != workers.end() ||
                      says.kind == ColumnKind::kWorkersIn
                : counts && !label.is_maybe;
    double last = 0;
    for (const auto& [k, cell] : label.at) {
      const auto value = read_number(cell, known_.roles.comma);
      if (factor && value && *value < last) return &label;
      last = value.value_or(last);
    }
  }
  return nullptr;
}

/// Those without which rows of one K differ, the others being the same.
std::vector<const Label*> TableLabels::needed(std::vector<const Label*> telling) const {
  std::stable_sort(telling.begin(), telling.end(),
                   [](const Label* a, const Label* b) { return !a->is_maybe && b->is_maybe; });
  std::vector<const Label*> chosen;
  for (const Label* label : telling) {
    std::map<std::vector<Cell>, Cell> seen;
    bool differs = false;
    for (const std::uint32_t row : known_.roles.rows) {
      std::vector<Cell> key;
      for (const std::size_t column : known_.roles.workers)
        key.push_back(known_.table.at(row, column));
      for (const Label* other : chosen) key.push_back(known_.table.at(row, other->column));
      const Cell cell = known_.table.at(row, label->column);
      const auto [place, is_new] = seen.try_emplace(std::move(key), cell);
      differs = !is_new && place->second != cell;
      if (differs) break;
    }
    if (differs) chosen.push_back(label);
  }
  return chosen.empty() ? telling : chosen;
}

/// The values of the series with the most K, the first of them, and what a study of each would
/// have.
TableLabels::Fullest TableLabels::fullest(const std::vector<const Label*>& telling) const {
  struct Series {
    std::size_t place = 0;
    std::set<std::string> counts{};
  };
  std::map<std::vector<Cell>, Series> series;
  for (const std::uint32_t row : known_.roles.rows) {
    std::vector<Cell> values;
    std::string k;
    for (const Label* label : telling) values.push_back(known_.table.at(row, label->column));
    for (const std::size_t i : known_.roles.workers)
      k += std::string(known_.table.at(row, i)) + ' ';
    Series& one = series.try_emplace(values, Series{series.size()}).first->second;
    one.counts.insert(std::move(k));
  }
  const auto fewer = [](const auto& a, const auto& b) {
    const Series &one = a.second, &other = b.second;
    if (one.counts.size() != other.counts.size()) return one.counts.size() < other.counts.size();
    return one.place > other.place;
  };
  const auto single = std::count_if(series.begin(), series.end(),
                                    [](const auto& one) { return one.second.counts.size() < 2; });
  const auto most = std::max_element(series.begin(), series.end(), fewer);
  return {.values = most->first,
          .has_several_k = most->second.counts.size() > 1,
          .most_have = 2 * static_cast<std::size_t>(single) <= series.size()};
}

/// The fullest of the series that these columns tell apart.
Offer TableLabels::select_one(const std::vector<const Label*>& telling) const {
  const std::vector<Cell> values = fullest(telling).values;
  std::string one;
  for (std::size_t i = 0; i < telling.size(); ++i) {
    one += fmt::format("{}{}={}", i == 0 ? "" : ",", known_.roles.name(telling[i]->column),
                       printable(cell_text(values[i])));
  }
  return offer("select", one, "for one of them");
}

/// One of these series, and each of them, where they have several K.
std::vector<Offer> TableLabels::parts(const std::vector<const Label*>& telling) const {
  const Fullest most = fullest(telling);
  if (!most.has_several_k) return {};
  std::vector<Offer> offers{select_one(telling)};
  if (!most.most_have) return offers;
  Offer& all = offers.emplace_back(Offer{.flags = {}, .when = "for a study of each"});
  for (const Label* one : telling) all.flags.emplace_back("series", known_.roles.name(one->column));
  return offers;
}

/// What the columns hold that tell them apart.
std::string TableLabels::available(const std::vector<const Label*>& telling) const {
  std::string text = "available: ";
  for (std::size_t i = 0; i < std::min(telling.size(), kShownLabels); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", known_.roles.name(telling[i]->column),
                        telling[i]->values.text());
  }
  if (telling.size() > kShownLabels) {
    text += fmt::format("; other columns: {}", telling.size() - kShownLabels);
  }
  return text + (fullest(telling).has_several_k ? "" : "; each series has one K only");
}

Error TableLabels::several_series(const std::vector<const Label*>& telling) const {
  std::vector<Offer> offers = parts(telling);
  // Of several columns one alone may tell the series apart.
  for (const Label* one : offers.empty() ? telling : std::vector<const Label*>()) {
    if (fullest({one}).has_several_k) offers.push_back(select_one({one}));
  }
  // What counts in the problem or the machine always makes a difference. Where several columns tell
  // series apart, to ignore one leaves the others.
  const auto ignored =
      std::find_if(telling.begin(), telling.end(), [](const Label* one) { return !one->counts; });
  if (ignored != telling.end() && (telling.size() == 1 || offers.empty())) {
    offers.push_back(
        offer("ignore", known_.roles.name((*ignored)->column), "if it makes no difference"));
  }
  return refusal(known_.table.input, "the table contains several series", std::move(offers),
                 available(telling));
}

/// Nobody knows which count is K, or one K stands in several layouts.
Error TableLabels::several_counts(const Label& other) const {
  const Roles& roles = known_.roles;
  const std::string name = roles.name(other.column);
  const std::string k = roles.name(roles.workers[0]);
  if (roles.workers.size() == 1 && !roles.counted_twice) {
    // Ranks per node, between nodes and threads.
    std::string between, part;
    for (std::size_t i = 0; i < roles.columns.size(); ++i) {
      const Column& column = roles.columns[i];
      const bool counts = column.says.kind == ColumnKind::kWorkersIn && i != other.column &&
                          !column.ignored && column.wholes == roles.rows.size() &&
                          column.says.rank_of_part == roles.columns[other.column].says.rank;
      if (!counts) continue;
      part = roles.name(i);
      between += "*" + part;
    }
    return refusal(known_.table.input,
                   fmt::format("'{}' {} while '{}', which seems to be K, {}", name,
                               other.changes_at_one_k ? "changes" : "falls", k,
                               other.changes_at_one_k ? "stays the same" : "grows"),
                   {offer("k-column", name + between + "*" + k,
                          fmt::format("if '{}' is per '{}'", k, between.empty() ? name : part)),
                    offer("k-column", name, "if they are the workers"),
                    offer("k-column", k, "if they are"), select_one({&other})},
                   available({&other}));
  }
  const std::string product =
      roles.workers.size() > 1 ? fmt::format("{}' times '{}", k, roles.name(roles.workers[1])) : k;
  // The rows with one number of the other factor may go through several K.
  const Label* tells = &other;
  for (const Label& label : labels_) {
    const bool factor = std::count(roles.workers.begin(), roles.workers.end(), label.column) > 0;
    if (factor && !fullest({tells}).has_several_k) tells = &label;
  }
  return refusal(known_.table.input,
                 fmt::format("one K has several layouts: '{}' changes while '{}' {}", name, product,
                             other.changes_at_one_k ? "stays the same" : "grows, and falls again"),
                 parts({tells}), available({tells}));
}

bool TableLabels::may_be_size(const Label& label) const {
  const ColumnName& says = known_.roles.columns[label.column].says;
  if (known_.roles.is_size(label.column)) return false;
  return says.kind == ColumnKind::kOther || says.kind == ColumnKind::kDimension ||
         says.kind == ColumnKind::kSize || says.kind == ColumnKind::kSetting ||
         says.kind == ColumnKind::kConverged;
}

Result<void> TableLabels::check_growth() const {
  if (known_.options.claims) return {};  // an audit has a rule that asks
  // Where a size is known that grows, that tells.
  for (const Label& label : labels_) {
    if (known_.roles.is_size(label.column) && grows_with_workers(label)) return {};
  }
  for (const Label& label : labels_) {
    if (label.changes_at_one_k || !may_be_size(label) || !grows_with_workers(label)) continue;
    const std::string name = known_.roles.name(label.column);
    return fail(refusal(
        known_.table.input,
        fmt::format("'{}' grows with K ({} to {}): it may be the size of the problem", name,
                    printable(label.at.begin()->second), printable(label.at.rbegin()->second)),
        {offer("regime", "weak", "if the work grows in proportion to K"),
         offer("regime", "mixed", "if it grows otherwise"),
         offer("ignore", name, "if it is no size")}));
  }
  return {};
}

const Label* TableLabels::text_of_rows() const {
  const auto is_text = [&](const Label& label) {
    return label.changes_at_one_k && !known_.roles.columns[label.column].numeric();
  };
  const auto text = std::find_if(labels_.begin(), labels_.end(), is_text);
  return text == labels_.end() ? nullptr : &*text;
}

const Label* TableLabels::text_of_each() const {
  const auto is_text = [&](const Label& label) {
    if (label.changes_at_one_k || known_.roles.columns[label.column].numeric()) return false;
    // "1 node" and "2 nodes" are no jobs.
    std::set<std::string> words;
    for (const auto& [workers, cell] : label.at) words.insert(words_without_numbers(cell));
    return words.size() > 1 && !label.values.many() && label.values.size() == label.at.size();
  };
  const auto text = std::find_if(labels_.begin(), labels_.end(), is_text);
  return text == labels_.end() ? nullptr : &*text;
}

std::optional<std::size_t> TableLabels::steady_dimension() const {
  std::optional<std::size_t> steady;
  for (const Label& label : labels_) {
    if (label.changes_at_one_k || !may_be_size(label)) continue;
    if (grows_with_workers(label, Numbers::kReal)) return {};
    const Column& column = known_.roles.columns[label.column];
    const bool dimension = column.says.kind == ColumnKind::kDimension && column.numeric();
    if (dimension && is_one_value(label) && !steady) steady = label.column;
  }
  return steady;
}

}  // namespace kstar
