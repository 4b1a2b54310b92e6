#pragma once

#include "kstar/causes.h"
#include "kstar/scaling_table.h"

/// What T(K) alone says about causes: by the models of it, and by its spread.
namespace kstar::causes {

/// `models` of the table's curve; null: they are fitted here.
Diagnosis diagnose_shape(const Study& study, const ScalingTable& table, double confidence,
                         const ModelFit* models);

}  // namespace kstar::causes
