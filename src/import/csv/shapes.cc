#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/column_name.h"
#include "import/csv/name_table.h"
#include "import/csv/number.h"
#include "import/csv/table.h"

// Tables of other shapes: K across the columns, and names with values one below the other.
namespace kstar {

namespace {

/// The one number among the words of a name that counts workers: "4 threads", "p=4", "np4".
std::optional<std::string> counted_workers(std::string_view name, std::string& rest) {
  const Words words = words_of(name);
  std::optional<std::string> number;
  bool named = false, letter = false;
  rest.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool after = i > 0 && is_digit(words[i - 1][0]);
    if (is_digit(word[0])) {
      if (number || parse_integer(word).value_or(0) < 1) return {};
      number = word;
    } else if (means(word, Sense::kWorkers) || word == "p" || word == "np" ||
               (means(word, Sense::kWorker) && after)) {
      named = true;
      letter = word == "p";
    } else {
      rest += (rest.empty() ? "" : " ") + word;
    }
  }
  // p50 and p99 are percentiles.
  for (const std::string_view percentile : {"50", "75", "90", "95", "99", "999"}) {
    if (letter && number == percentile) return {};
  }
  return named ? number : std::nullopt;
}

/// A name that is nothing but a whole number; a program may have written 4.0.
std::optional<std::string> bare_number(std::string_view name) {
  name = trim(name);
  if (name.ends_with(".0")) name.remove_suffix(2);
  const auto number = parse_integer(name);
  return number && *number >= 1 ? std::optional(std::to_string(*number)) : std::nullopt;
}

/// With the option: the number in any name.
std::optional<std::string> any_count(const std::string& name, std::string& rest) {
  if (auto number = counted_workers(name, rest)) return number;
  const Words words = words_of(name);
  std::optional<std::string> found;
  rest.clear();
  for (const std::string& word : words) {
    if (!is_digit(word[0])) {
      if (!is_worker_word(word)) rest += (rest.empty() ? "" : " ") + word;
    } else if (found) {
      return {};
    } else {
      found = word;
    }
  }
  return found;
}

TextTable without_names(const TextTable& table) {
  TextTable result = table.without_rows();
  result.names.clear();
  result.comments = table.comments;
  return result;
}

/// Names in the first column, and counts in the header: rows and columns change places.
TextTable turned(const TextTable& table, std::string first,
                 const std::vector<std::string>& counts) {
  TextTable result = without_names(table);
  result.names.push_back(std::move(first));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    result.names.push_back(cell_text(table.at(row, 0)));
  }
  for (std::size_t column = 1; column < table.width(); ++column) {
    result.cells.push_back(result.own(counts[column]));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      result.cells.push_back(table.at(row, column));
    }
  }
  return result;
}

/// A row for each of the columns that count.
TextTable melted(const TextTable& table, const std::vector<std::string>& counts,
                 const std::string& value) {
  TextTable result = without_names(table);
  for (std::size_t i = 0; i < table.width(); ++i) {
    if (counts[i].empty()) result.names.push_back(table.names[i]);
  }
  result.names.emplace_back("K");
  result.names.push_back(value.empty() ? "value" : value);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.width(); ++column) {
      if (counts[column].empty()) continue;
      for (std::size_t i = 0; i < table.width(); ++i) {
        if (counts[i].empty()) result.cells.push_back(table.at(row, i));
      }
      result.cells.push_back(result.own(counts[column]));
      result.cells.push_back(table.at(row, column));
    }
  }
  return result;
}

/// Whether the first column holds names of what is measured.
bool names_rows(const TextTable& table) {
  bool measured = false;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Cell cell = table.at(row, 0);
    if (cell.empty() || is_number(cell)) return false;
    measured = measured || is_measured(column_named(cell).kind);
  }
  return measured;
}

/// One "name: value" of a line.
struct Said {
  std::string name;
  std::string_view value;
};

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

/// A number with what may be its unit, at the beginning of a text.
std::string_view leading_value(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == ',' ||
                               text[end] == ':' || text[end] == '-' || text[end] == '+' ||
                               ((text[end] == 'e' || text[end] == 'E') && end > 0))) {
    ++end;
  }
  while (end > 0 && (text[end - 1] == ',' || text[end - 1] == '.' || text[end - 1] == ':')) --end;
  if (end == 0 ||
      !std::any_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), is_digit)) {
    return {};
  }
  std::size_t unit = end;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  std::size_t stop = unit;
  while (stop < text.size() &&
         (is_word_char(text[stop]) || text[stop] == '%' || text[stop] == '/')) {
    ++stop;
  }
  const std::string_view word = text.substr(unit, stop - unit);
  if (!word.empty() && (seconds_of(lower_case(word)) || word == "%")) end = stop;
  return text.substr(0, end);
}

/// The words before a colon or an equals sign.
std::string name_before(std::string_view text, bool equals) {
  equals = equals && !text.ends_with(' ');  // "Elapsed time = 3"
  text = trim(text);
  std::size_t begin = text.size();
  int open = 0;  // brackets behind this place that open before it
  while (begin > 0) {
    const char c = text[begin - 1];
    open += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (open < 0) break;
    const bool inside = is_word_char(c) || c == '/' || c == '#' || c == '(' || c == ')' ||
                        (!equals && (c == ' ' || c == '-' || c == '.'));
    if (!inside) break;
    --begin;
  }
  std::string_view name = trim(text.substr(begin));
  // Two blanks and more end what stood before it.
  if (const std::size_t gap = name.rfind("  "); gap != std::string_view::npos) {
    name = trim(name.substr(gap));
  }
  // "4 time", behind "threads="
  while (!name.empty() && is_digit(name[0]) && name.find(' ') != std::string_view::npos) {
    name = trim(name.substr(name.find(' ')));
  }
  return std::string(name.substr(0, 80));
}

/// "8 threads" outside of a pair.
void find_counts(std::string_view line, std::vector<Said>& said) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!is_digit(line[i]) || (i > 0 && (is_word_char(line[i - 1]) || line[i - 1] == '.')))
      continue;
    std::size_t end = i;
    while (end < line.size() && is_digit(line[end])) ++end;
    std::size_t word = end;
    while (word < line.size() && (line[word] == ' ' || line[word] == '-')) ++word;
    std::size_t stop = word;
    while (stop < line.size() && is_word_char(line[stop])) ++stop;
    std::string name = lower_case(line.substr(word, stop - word));
    if (name == "mpi" || name == "openmp" || name == "omp") {
      word = stop + 1;
      stop = word;
      while (stop < line.size() && is_word_char(line[stop])) ++stop;
      if (word < line.size()) name = lower_case(line.substr(word, stop - word));
    }
    if (word > end && is_worker_word(name) && name != "k" && name != "load" && name != "users") {
      const bool plural = means(name, Sense::kWorkers);
      said.push_back({plural ? name : name + "s", line.substr(i, end - i)});
    }
    i = end;
  }
}

/// "took 5.2 s" and "in 5.2 s": named after the words of the line.
void find_times(std::string_view line, std::vector<Said>& said) {
  for (const std::string_view word : {" took ", " takes ", " in ", " after "}) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view value = leading_value(line.substr(at + word.size()));
    if (value.empty() || !read_quantity(value, Comma::kThousands) ||
        read_quantity(value, Comma::kThousands)->unit.empty()) {
      continue;
    }
    std::string name;
    for (const std::string& each : words_of(line.substr(0, at))) {
      if (!is_digit(each[0]) && !is_worker_word(each)) name += each + " ";
    }
    if (name.size() > 60) continue;
    said.push_back({name + "time", value});
    return;
  }
}

std::vector<Said> said_in(std::string_view line) {
  std::vector<Said> said;
  // What a shell's "time" prints: "real  0m5.2s".
  if (line.starts_with("real\t") || line.starts_with("real ")) {
    const std::string_view value = trim(line.substr(5));
    if (read_clock(value) || parse_double(value)) return {{"real", value}};
  }
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != ':' && line[i] != '=') continue;
    const bool clock =
        line[i] == ':' && is_digit(line[i - 1]) && i + 1 < line.size() && is_digit(line[i + 1]);
    if (clock) continue;
    const std::string_view behind = trim(line.substr(i + 1));
    const std::string_view value = leading_value(behind);
    const std::string name = name_before(line.substr(0, i), line[i] == '=');
    if (value.empty() || name.empty() || is_digit(name[0])) continue;
    said.push_back({name, value});
    i = static_cast<std::size_t>(value.data() + value.size() - line.data()) - 1;
  }
  find_counts(line, said);
  if (said.empty() || said.back().name.find("time") == std::string::npos) find_times(line, said);
  return said;
}

/// What was said last of every name.
class Recorder {
 public:
  explicit Recorder(const Input& input) { table_.input = input; }

  void see(const Said& one) {
    const auto [place, is_new] = columns_.try_emplace(one.name, columns_.size());
    if (is_new) {
      last_.emplace_back();
      measured_.push_back(is_measured(column_named(one.name).kind) ||
                          column_named(one.name).is_part);
      table_.names.push_back(one.name);
    }
    const std::size_t column = place->second;
    if (is_new) {
      workers_.push_back(column_named(one.name).kind == ColumnKind::kWorkers);
      before_values_.push_back(!has_value());
    }
    // Where K is said before its times, another K ends what belongs to the one before it.
    const bool next = workers_[column] && before_values_[column] && has_value() &&
                      !last_[column].value.empty() && last_[column].value != one.value;
    if (last_[column].fresh || next) finish_row();
    last_[column] = {one.value, true};
    if (!workers_[column]) return;
    if (!announced_) ++section_;  // what is said in one go is one announcement
    announced_ = true;
    first_in_section_ = true;
  }

  void finish_row() {
    if (has_value()) {
      std::vector<Cell> row;
      for (const Last& one : last_) row.push_back(one.value);
      rows_.push_back(std::move(row));
      nth_ = first_in_section_ ? 1 : nth_ + 1;
      first_in_section_ = announced_ = false;
      places_.emplace_back(section_, nth_);
    }
    for (std::size_t i = 0; i < last_.size(); ++i) {
      if (measured_[i]) last_[i].value = {};
      last_[i].fresh = false;
    }
  }

  bool is_large() const { return columns_.size() > kMostNames || rows_.size() > kMostRecords; }

  TextTable table() {
    finish_row();
    table_.separator = '\0';
    const std::size_t said = table_.names.size();
    const bool again = announced_again(),
               several = std::any_of(places_.begin(), places_.end(),
                                     [](const auto&p) { return p.second > 1; });
    if (again) table_.names.emplace_back("section");
    if (several) table_.names.emplace_back("nth value");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].resize(said, table_.input.text.substr(0, 0));
      if (again) rows_[i].push_back(table_.own(std::to_string(places_[i].first)));
      if (several) rows_[i].push_back(table_.own(std::to_string(places_[i].second)));
      table_.cells.insert(table_.cells.end(), rows_[i].begin(), rows_[i].end());
    }
    return std::move(table_);
  }

 private:
  /// Whether one K comes in several sections, and nothing that was said tells them apart.
  bool announced_again() const {
    std::map<std::vector<Cell>, int> seen;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::vector<Cell> settings;
      for (std::size_t j = 0; j < rows_[i].size(); ++j) {
        if (!measured_[j]) settings.push_back(rows_[i][j]);
      }
      const auto [place, is_new] = seen.try_emplace(std::move(settings), places_[i].first);
      if (!is_new && place->second != places_[i].first) return true;
    }
    return false;
  }

  bool has_value() const {
    for (std::size_t i = 0; i < last_.size(); ++i) {
      if (measured_[i] && last_[i].fresh) return true;
    }
    return false;
  }

  static constexpr std::size_t kMostNames = 200, kMostRecords = 100'000;
  struct Last {
    Cell value;
    bool fresh = false;
  };
  TextTable table_;
  std::map<std::string, std::size_t> columns_;
  std::vector<Last> last_;
  std::vector<bool> measured_, workers_;
  int section_ = 0, nth_ = 0;
  bool announced_ = false, first_in_section_ = true;
  std::vector<bool> before_values_;          ///< of each name: it was first said before any value
  std::vector<std::pair<int, int>> places_;  ///< of each row: its section, and its number there
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace

Result<TextTable> with_k_in_rows(TextTable table, const ImportOptions& options) {
  if (table.width() < 3 || table.rows() == 0) return table;
  const bool named = std::any_of(table.names.begin() + 1, table.names.end(), [](const auto& name) {
    return column_named(name).kind == ColumnKind::kWorkers;
  });
  if (named || (!options.worker_column.empty() && !options.across)) return table;
  std::vector<std::string> counts(table.width());
  std::size_t bare = 0, counted = 0;
  std::set<std::string> values;
  for (std::size_t i = 0; i < table.width(); ++i) {
    std::string rest;
    const auto plain = bare_number(table.names[i]);
    const auto number = plain            ? plain
                        : options.across ? any_count(table.names[i], rest)
                                         : counted_workers(table.names[i], rest);
    if (!number) continue;
    counts[i] = *number;
    values.insert(rest);
    plain ? ++bare : ++counted;
  }
  const ColumnName first = column_named(table.names[0]);
  const bool first_counts = first.kind == ColumnKind::kWorkers;
  const bool all_others = bare + counted + 1 == table.width() && counts[0].empty();
  if (all_others && names_rows(table) && (first_counts || counted > 1)) {
    return turned(table, first_counts ? table.names[0] : "K", counts);
  }
  if (first_counts && all_others && bare + counted > 1 && !is_number(table.at(0, 0))) {
    table.names[0] = "series";
    return melted(table, counts, "");
  }
  if (first_counts || (counted < 2 && !options.across) || bare + counted < 2) return table;
  if (values.size() > 1) return table;
  return melted(table, counts, *values.begin());
}

bool may_run_across(const TextTable& table) {
  std::map<std::string, std::set<std::string>> counts;
  for (const std::string& name : table.names) {
    std::string rest;
    const auto plain = bare_number(name);
    const auto number = plain ? plain : any_count(name, rest);
    if (number) counts[rest].insert(*number);
  }
  return counts.contains("") && counts[""].size() > 1;
}

TextTable records_in(const Input& input) {
  Recorder recorder(input);
  for (std::string_view rest = input.text; !rest.empty() && !recorder.is_large();) {
    const std::string_view line = next_line(rest);
    constexpr std::size_t kLongestLine = 1000;
    if (line.size() > kLongestLine) continue;
    for (const Said& one : said_in(line)) recorder.see(one);
  }
  return recorder.table();
}

}  // namespace kstar
