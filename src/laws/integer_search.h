#pragma once

#include <functional>
#include <optional>

/// Search over the integers K from 1 to kMostWorkers for curves that are smooth in log K: every
/// integer up to 1024 is looked at, then one in every percent, and the bracket that holds the
/// answer is searched to the last integer.
namespace kstar {

/// The integer with the smallest f.
double integer_minimum(const std::function<double(double)>& f);

/// The smallest integer at or above `from` for which `holds`.
std::optional<double> first_integer(const std::function<bool(double)>& holds, double from = 1);

}  // namespace kstar
