#pragma once

#include "import/csv/columns.h"

namespace kstar {

/// Settles what the names of speedups and efficiencies leave open, by the values that were seen: a
/// bare "scaling" that never gets far above 1 is an efficiency, and an efficiency far above 1 is a
/// percentage. Each such reading stands in ColumnFacts::reading, and `unlikely` is set where no
/// reading is possible.
void settle_ratios(CsvSurvey& survey, const ImportOptions& options);

}  // namespace kstar
