#pragma once

#include "import/csv/labels.h"

namespace kstar {

/// Rows that brought no run.
struct SkippedRows {
  std::size_t count = 0;
  const char* first = nullptr;  ///< its place in the text
};

/// What was guessed, converted or skipped in a table, as notes of the study of its runs.
void note_csv(const CsvTable& table, const CsvLabels& labels, const SkippedRows& without_workers,
              bool weak, Study& study);

}  // namespace kstar
