#pragma once

#include <string>

#include "base/text.h"
#include "import/csv/columns.h"

namespace kstar {

/// A table whose columns are known, while its rows are read.
struct CsvTable {
  Input input;
  const CsvSurvey& survey;
  const CsvColumns& columns;
  const ImportOptions& options;

  std::string name(std::size_t column) const { return printable(survey.columns[column].name); }
  bool is_of_one_worker(std::size_t column) const {
    return survey.columns[column].says.of_one_worker;
  }
  /// Of a table that says what a training needed. Epochs of data whose size is known are samples.
  bool counts_samples() const {
    return columns.size && !is_of_one_worker(*columns.size) &&
           survey.columns[*columns.converged].says.work == "epochs";
  }
};

}  // namespace kstar
