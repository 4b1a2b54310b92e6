#pragma once

#include <span>

#include "kstar/document.h"
#include "kstar/prediction_report.h"

namespace kstar {

/// K and what the law says at it; with `answers`, also what each K would need.
Table point_table(const Prediction& prediction, bool answers);

/// One quantity of every curve, side by side.
Table side_by_side_table(std::span<const Prediction> predictions, Quantity quantity);

/// The questions down the side, one column a curve.
Table answer_table(std::span<const Prediction> predictions);

/// What single changes would do.
Table change_table(const Prediction& prediction);

/// Whether its table has the column of largest serial fractions.
bool has_serial_column(const Prediction& prediction);

/// The head of a curve's column: what tells it from the others, or all its parameters when it is
/// alone.
std::string column_name(const Prediction& prediction, std::span<const Prediction> all);

/// The parameters that all curves have in common.
std::string shared_parameters(std::span<const Prediction> predictions);

}  // namespace kstar
