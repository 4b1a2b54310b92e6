#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/runs.h"
#include "import/importer.h"
#include "import/offers.h"

namespace kstar {

namespace {

/// Any text that is no JSON: whether it is a table shows when it is read.
bool sniff_csv(std::string_view start) {
  const std::string_view text = trim(start);
  const bool json =
      text.starts_with('{') || (text.starts_with('[') && trim(text.substr(1)).starts_with('{'));
  return !text.empty() && !json && start.find('\0') == std::string_view::npos &&
         !start.starts_with("\xFF\xFE") && !start.starts_with("\xFE\xFF");
}

/// Named as what a program printed.
bool is_named_log(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".log") || name.ends_with(".out") || name.ends_with(".err");
}

/// Whether the first line that is no comment is words instead of columns: it names none of K, times
/// or rates in a few words, and holds no numbers alone.
bool is_prose(std::string_view text) {
  std::string_view line;
  do {
    line = next_line(text);
  } while (!text.empty() && (line.empty() || line.starts_with('#')));
  const char separator = separator_of(line);
  const auto cells = separator == kBlanks ? words_in(line) : split(line, separator);
  if (std::all_of(cells.begin(), cells.end(), [](auto cell) { return is_number(trim(cell)); }))
    return false;
  return separator == kBlanks ||
         std::none_of(cells.begin(), cells.end(), [](std::string_view cell) {
           constexpr std::size_t kLongest = 200;
           constexpr int kFewWords = 3;
           const ColumnName says = column_named(trim(cell).substr(0, kLongest));
           return says.kind == ColumnKind::kWorkers ||
                  (is_measured(says.kind) && says.unexplained <= kFewWords);
         });
}

/// A preset whose pattern matches, or nothing.
std::string_view fitting_preset(const Input& input) {
  for (const ImportPreset& preset : import_presets()) {
    const std::string regex(preset.time_regex.empty() ? preset.rate_regex : preset.time_regex);
    const auto pattern = Pattern::compile(regex, "--preset");
    if (pattern && !pattern->matches(input.text, 1).empty()) return preset.name;
  }
  return {};
}

Error with_log_hint(const Input& input, Error error) {
  if (error.where.starts_with("--")) return error;
  if (const std::string_view preset = fitting_preset(input); !preset.empty()) {
    return refusal(
        input, "is a log, and no table",
        {offer("preset", std::string(preset), "(and --k N where the log does not say its K)")});
  }
  // How to name columns does not help where there are none.
  const auto names = [](const Offer& one) { return one.flags[0].first == "columns"; };
  if (std::any_of(error.offers.begin(), error.offers.end(), names)) {
    error.offers.clear();
    error.hint.clear();
  }
  error.hint += fmt::format(
      "{}a log needs a pattern that matches its times or rates: kstar import {} --time-regex 'step "
      "took ([0-9.]+) s' or --rate-regex '([0-9.]+) samples/s'; --k sets the number of workers, "
      "--k-regex matches it in a log that holds several runs",
      error.hint.empty() ? "" : "; ", printable(input.name));
  return error;
}

/// Whether a text that is no table says several K and a value for each.
bool holds_sweep(const TextTable& records) {
  for (std::size_t i = 0; i < records.width(); ++i) {
    if (column_named(records.names[i]).kind != ColumnKind::kWorkers) continue;
    std::set<Cell> counts;
    for (std::size_t row = 0; row < records.rows(); ++row) {
      if (!records.at(row, i).empty()) counts.insert(records.at(row, i));
    }
    if (counts.size() > 1) return true;
  }
  return false;
}

/// "Threads: 1, Time: 2 s" is no header: a program said it, and says more below.
bool heads_pairs(const TextTable& table) {
  return table.has_header && table.width() > 1 &&
         std::all_of(table.names.begin(), table.names.end(), [](std::string_view name) {
           const std::size_t at = name.find_first_of(":=");
           const Cell value = trim(name.substr(std::min(at, name.size() - 1) + 1));
           return at != std::string_view::npos && !value.empty() && is_digit(value[0]);
         });
}

Result<TextTable> read_table(const Input& input, const ImportOptions& options) {
  Result<std::vector<TextTable>> tables = tables_in(input, options);
  const bool fit =
      tables && std::any_of(tables->begin(), tables->end(), [&](const TextTable& table) {
        return (fits(table, options) > 0 && !heads_pairs(table)) || !options.columns.empty() ||
               options.across;
      });
  if (!fit) {
    TextTable records = records_in(input);
    if (holds_sweep(records)) return records;
  }
  const bool log = is_named_log(input.name) || (!fit && is_prose(input.text));
  Result<TextTable> table = tables ? chosen_table(input, std::move(*tables), options)
                                   : Result<TextTable>(fail(tables.error()));
  if (!table && log) return fail(with_log_hint(input, table.error()));
  return table;
}

Result<Study> read_csv(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const TextTable table, read_table(input, options));
  Result<Study> study = study_of_table(table, options);
  const bool log =
      is_named_log(input.name) || (table.separator == kBlanks && fits(table, options) < 1);
  if (!study && log) return fail(with_log_hint(input, study.error()));
  return study;
}

}  // namespace

const Importer& csv_importer() {
  static const Importer kImporter = {
      {"csv",
       "a table with columns for K and a time, rate or speedup: separated by commas, tabs, bars or "
       "blanks, or in Markdown"},
      &sniff_csv,
      &read_whole<read_csv>,
      false,
      &read_table};
  return kImporter;
}

}  // namespace kstar
