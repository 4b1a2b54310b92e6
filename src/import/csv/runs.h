#pragma once

#include "import/csv/roles.h"

namespace kstar {

/// The study of the rows of a table whose columns are known.
Result<Study> read_runs(const TextTable& table, const Roles& roles, const ImportOptions& options);

/// A table as a study: roles are found, rows become runs.
Result<Study> study_of_table(const TextTable& table, const ImportOptions& options);

/// Of several tables the only one that can be read, or the one that --table names. K across its
/// columns is turned.
Result<TextTable> chosen_table(const Input& input, std::vector<TextTable> tables,
                               const ImportOptions& options);

/// The rows of a table by what the columns of `options.series` hold.
Result<ImportedSeries> series_of_table(const TextTable& table, const ImportOptions& options);

}  // namespace kstar
