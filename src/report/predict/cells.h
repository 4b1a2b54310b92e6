#pragma once

#include <optional>
#include <span>
#include <string>

#include "kstar/prediction.h"

/// How the numbers of a prediction are written for people.
namespace kstar {

std::string workers_cell(double workers);
std::string workers_cell(const std::optional<double>& workers, const char* none);
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
std::string ceiling_cell(const Ceiling& ceiling);

}  // namespace kstar
