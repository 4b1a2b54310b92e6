#pragma once

#include "import/csv/roles.h"
#include "import/importer.h"

namespace kstar {

/// The study of the rows of a table whose columns are known.
Result<Study> read_runs(const TextTable& table, const Roles& roles, const ImportOptions& options);

/// A table as a study: roles are found, rows become runs.
Result<Study> study_of_table(const TextTable& table, const ImportOptions& options);

/// How a format is read that is a table.
template <Result<TextTable> (*kTable)(const Input& input, const ImportOptions& options)>
Result<Study> read_rows_of(Reader& reader, const ImportOptions& options) {
  const auto input = reader.whole();
  if (!input) return fail(input.error());
  const auto table = kTable(*input, options);
  if (!table) return fail(table.error());
  return study_of_table(*table, options);
}

template <Result<TextTable> (*kTable)(const Input& input, const ImportOptions& options)>
Importer table_importer(const ImportFormat& format, bool (*sniff)(std::string_view head)) {
  return {format, sniff, &read_rows_of<kTable>, false, kTable};
}

/// Of several tables the only one that can be read, or the one that --table names. K across its
/// columns is turned.
Result<TextTable> chosen_table(const Input& input, std::vector<TextTable> tables,
                               const ImportOptions& options);

/// The rows of a table by what the columns of `options.series` hold; an error where they give no
/// study at all.
Result<ImportedSeries> read_series(const Importer& importer, Reader& reader,
                                   const ImportOptions& options);

}  // namespace kstar
