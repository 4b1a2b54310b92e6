#pragma once

#include "import/csv/columns.h"

namespace kstar {

/// The rows that were asked for, as runs; with what was skipped, and the problem at each K.
Result<Study> read_runs(const Input& input, const CsvSurvey& survey, const CsvColumns& columns,
                        const ImportOptions& options);

}  // namespace kstar
