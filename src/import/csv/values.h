#pragma once

#include "import/csv/facts.h"

namespace kstar {

/// The columns that hold what was measured.
struct CsvValues {
  std::vector<std::size_t> columns;  ///< several: repeats
  ColumnName says;                   ///< what they hold
  bool guessed = false;              ///< nothing but the user says that they are seconds
};

/// Those that the user names; else repeats, then a time, a rate, a speedup by its name.
Result<CsvValues> choose_values(const Input& input, const CsvSurvey& survey, const Facts& columns,
                                const ImportOptions& options);

}  // namespace kstar
