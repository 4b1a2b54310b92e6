#pragma once

#include <optional>

#include "kstar/causes.h"
#include "kstar/scaling_table.h"

/// What another tool found inside the runs: the factors of TALP and POP tables, which importing
/// keeps under "pop".
namespace kstar::causes {

/// Nothing where fewer than two K have load balance and communication efficiency.
std::optional<Diagnosis> diagnose_said(const Study& study, const Result<ScalingTable>& table,
                                       const DiagnosisOptions& options);

}  // namespace kstar::causes
