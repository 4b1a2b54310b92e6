#pragma once

#include <optional>
#include <span>
#include <string>

#include "kstar/document.h"
#include "kstar/prediction.h"
#include "kstar/prediction_report.h"

/// How the numbers of a prediction are written for people.
namespace kstar {

std::string workers_cell(double workers);

std::string workers_cell(const std::optional<double>& workers, const char* none);
/// The same for an answer over all K: beyond a million workers nobody needs its digits.
std::string answer_cell(double workers);
std::string answer_cell(const std::optional<double>& workers, const char* none);
std::string time_cell(const Law& law, double time);
std::string speedup_cell(const Law& law, double speedup);
std::string efficiency_cell(const Law& law, double efficiency);
/// Whether the curves belong to more than one law.
bool several_laws(std::span<const Prediction> predictions);
/// The value of a parameter as it was given, or null.
const std::string* value_of(const Prediction& prediction, std::string_view name);
/// Whether the curves differ in a parameter.
bool varies(std::string_view name, std::span<const Prediction> predictions);
/// "20.00x", or "unbounded".
std::string limit_cell(double limit);
std::string ceiling_cell(const Ceiling& ceiling);

/// K and what the law says at it; with `answers`, also what each K would need.
Table point_table(const Prediction& prediction, bool answers);

/// One quantity of every curve, side by side.
Table side_by_side_table(std::span<const Prediction> predictions, Quantity quantity);

/// The questions down the side, one column a curve.
Table answer_table(std::span<const Prediction> predictions);

/// What T(K) is made of, as far as there is any of it.
Table parts_table(const Prediction& prediction);

/// What single changes would do, all relative to the base of the job as it is.
Table change_table(const Prediction& prediction);

/// Whether its table has the column of largest serial fractions.
bool has_serial_column(const Prediction& prediction);

/// The head of a curve's column: what tells it from the others, or all its parameters when it is
/// alone.
std::string column_name(const Prediction& prediction, std::span<const Prediction> all);

/// The parameters that all curves have in common.
std::string shared_parameters(std::span<const Prediction> predictions);

}  // namespace kstar
