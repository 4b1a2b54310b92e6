#pragma once

#include "kstar/models.h"

namespace kstar {

/// The universal scalability law alone, with what its own fit says about its error: no other form,
/// and no model error.
Result<ModelFit> fit_usl_model(const Curve& curve, const FitOptions& options);

}  // namespace kstar
