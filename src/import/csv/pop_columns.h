#pragma once

#include <string>
#include <vector>

#include "import/csv/facts.h"

namespace kstar {

/// The columns that hold POP's factors, by their names and their values: shares, or percentages.
/// None where no load balance is among them: other efficiencies are against T(1).
std::vector<PopColumn> pop_columns(const Facts& columns);

}  // namespace kstar
