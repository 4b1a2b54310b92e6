#include <fmt/format.h>

#include "base/text.h"
#include "import/csv/runs.h"
#include "import/importer.h"

namespace kstar {

namespace {

/// Any text that is no JSON: whether it is a table shows when it is read.
bool sniff_csv(std::string_view start) {
  const std::string_view text = trim(start);
  return !text.empty() && !text.starts_with('{') && !text.starts_with('[') &&
         start.find('\0') == std::string_view::npos && !start.starts_with("\xFF\xFE") &&
         !start.starts_with("\xFE\xFF");
}

/// Named as what a program printed.
bool is_named_log(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".log") || name.ends_with(".out") || name.ends_with(".err");
}

/// Words instead of columns.
bool is_prose(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && separator_of(text.substr(begin)) == kBlanks;
}

Error with_log_hint(const Input& input, Error error) {
  if (error.where.starts_with("--")) return error;
  error.hint += fmt::format(
      "{}a log needs a pattern that matches its times or rates: kstar import {} --time-regex 'step "
      "took ([0-9.]+) s' or --rate-regex '([0-9.]+) samples/s'; --k sets the number of workers",
      error.hint.empty() ? "" : "; ", printable(input.name));
  return error;
}

Result<Study> read_csv(const Input& input, const ImportOptions& options) {
  const auto found = survey(input, options);
  if (!found) {
    const bool log = is_named_log(input.name) || is_prose(input.text);
    return fail(log ? with_log_hint(input, found.error()) : found.error());
  }
  const auto columns = choose_columns(input, *found, options);
  if (!columns) {
    return fail(is_named_log(input.name) ? with_log_hint(input, columns.error()) : columns.error());
  }
  return read_runs(input, *found, *columns, options);
}

}  // namespace

const Importer& csv_importer() {
  static const Importer kImporter = {{"csv",
                                      "a table with columns for K and a time, rate or speedup: "
                                      "separated by commas, tabs or blanks"},
                                     &sniff_csv,
                                     &read_whole<read_csv>};
  return kImporter;
}

}  // namespace kstar
