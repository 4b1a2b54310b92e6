#pragma once

#include "kstar/prediction.h"

namespace kstar {

/// What single changes would do to the job (see Changes).
Changes changes_of(const LawInstance& instance, const PredictionOptions& options);

/// What halving and doubling the law's own parameter does to the usable K.
Sensitivity sensitivity_of(const LawInstance& instance, const PredictionOptions& options);

}  // namespace kstar
