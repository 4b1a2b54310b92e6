#pragma once

#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/inside_table.h"
#include "kstar/measure_plan.h"

/// What was measured, and what would be, as people read it.
namespace kstar {

KSTAR_EXPORT Document to_document(const MeasurePlan& plan);
/// Empty where no run looked inside.
KSTAR_EXPORT Document to_document(const InsideTable& table);

}  // namespace kstar
