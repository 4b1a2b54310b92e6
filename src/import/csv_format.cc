#include <fmt/format.h>

#include "base/text.h"
#include "import/csv_runs.h"
#include "import/importer.h"

namespace kstar {

namespace {

/// Any text that is no JSON: whether it is a table shows when it is read.
bool sniff(std::string_view start) {
  const std::string_view text = trim(start);
  return !text.empty() && !text.starts_with('{') && !text.starts_with('[') &&
         start.find('\0') == std::string_view::npos && !start.starts_with("\xFF\xFE") &&
         !start.starts_with("\xFE\xFF");
}

Result<Study> read(const Input& input, const ImportOptions& options) {
  const auto found = survey(input, options);
  if (!found) return fail(found.error());
  const auto columns = choose_columns(input, *found, options);
  if (!columns) return fail(columns.error());
  return read_runs(input, *found, *columns, options);
}

}  // namespace

const Importer& csv_importer() {
  static const Importer kImporter = {
      {"csv", "a table with columns for K and a time, rate or speedup: CSV, TSV or blanks"},
      &sniff,
      &read};
  return kImporter;
}

}  // namespace kstar
