#pragma once

#include <string>

#include "kstar/estimate.h"
#include "kstar/scaling_table.h"

/// How measured numbers are written for people.
namespace kstar {

/// Half the interval's width over the point: "1.3%", or "?" where there is none.
std::string half_width(const Estimate& estimate);

/// "0.69..0.74", or "no interval".
std::string interval_text(const Estimate& estimate, int decimals);

/// Three behind the point, or as many as leave two digits of a small efficiency.
int efficiency_decimals(const Estimate& efficiency);

/// "8.1..8.3 s", in the unit of the point.
std::string time_interval_text(const Estimate& seconds);

/// "8.1..8.3", in the unit of the point, for a place beside it.
std::string bare_time_interval_text(const Estimate& seconds);

/// "base" for the baseline program, K for the others.
std::string point_name(const ScalingPoint& point);

/// ok, low, or unclear.
const char* verdict(const ScalingPoint& point);

/// "K = 1 of the program itself", or the baseline program.
std::string base_text(const ScalingTable& table);

}  // namespace kstar
