#pragma once

#include "import/csv/labels.h"

namespace kstar {

/// Rows that brought no run.
struct SkippedRows {
  std::size_t count = 0;
  std::size_t first = 0;
};

/// What was guessed, converted or skipped in a table, as notes of the study of its runs.
void note_table(const KnownTable& known, const TableLabels& labels,
                const SkippedRows& without_workers, bool weak, Study& study);

}  // namespace kstar
