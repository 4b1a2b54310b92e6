#pragma once

#include "import/csv/labels.h"

namespace kstar {

/// Rows that brought no run.
struct SkippedRows {
  std::size_t count = 0;  ///< without a number of workers
  std::size_t first = 0;
  std::size_t sums = 0;  ///< the mean, or the like, of others
};

/// What was guessed, converted or skipped in a table, as notes of the study of its runs.
void note_table(const KnownTable& known, const TableLabels& labels, const SkippedRows& skipped,
                bool weak, Study& study);

}  // namespace kstar
