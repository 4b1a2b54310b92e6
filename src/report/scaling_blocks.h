#pragma once

#include <string>
#include <vector>

#include "kstar/document.h"
#include "kstar/estimate.h"
#include "kstar/scaling_table.h"

/// Parts of a page about a ScalingTable that more than one page has.
/// How measured numbers are written for people.
namespace kstar {

/// Whether any point has a speedup and an efficiency.
bool has_speedup(const ScalingTable& table);

/// Whether any point has more than one run.
bool has_repeats(const ScalingTable& table);

/// How many K other than the base have times that count.
std::size_t points_besides_base(const ScalingTable& table);

/// Puts the shapes behind K, where the points have any. The rows are those of all points.
void add_shapes(const ScalingTable& table, Table& rows);

/// Which steps from K to the next stay inside a node and which go between nodes, and what each
/// keeps of the efficiency. No items where no shape is known.
Items growth_items(const ScalingTable& table);

/// Runs that are in the study and not in the table, by K.
std::vector<std::string> uncounted_runs(const ScalingTable& table);

/// T_setup(K), which is no part of T(K). No rows where it is not known.
Table setup_table(const ScalingTable& table);

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
