#pragma once

#include <optional>
#include <string>

#include "kstar/prediction.h"

/// How the numbers of a prediction are written for people.
namespace kstar {

std::string workers_cell(double workers);
std::string workers_cell(const std::optional<double>& workers, const char* none);
std::string time_cell(const Law& law, double time);
std::string speedup_cell(const Law& law, double speedup);
std::string efficiency_cell(const Law& law, double efficiency);
/// "20.00x", or "unbounded".
std::string ceiling_cell(const Ceiling& ceiling);

}  // namespace kstar
