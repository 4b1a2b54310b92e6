#pragma once

#include <string>

#include "base/text.h"
#include "import/csv_columns.h"

namespace kstar {

/// A table whose columns are known, while its rows are read.
struct CsvTable {
  Input input;
  const CsvSurvey& survey;
  const CsvColumns& columns;
  const ImportOptions& options;

  std::string name(std::size_t column) const { return printable(survey.columns[column].name); }
  /// Of a table that says what a training needed. Epochs of data whose size is known are samples.
  bool counts_samples() const {
    return columns.size && survey.columns[*columns.converged].says.work == "epochs";
  }
};

}  // namespace kstar
