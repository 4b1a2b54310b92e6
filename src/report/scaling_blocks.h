#pragma once

#include <string>
#include <vector>

#include "kstar/document.h"
#include "kstar/estimate.h"
#include "kstar/scaling_table.h"
#include "kstar/words.h"

/// Parts of a page about a ScalingTable that more than one page has.
namespace kstar {

/// Puts the shapes behind K, where the points have any. The rows are those of all points.
void add_shapes(const ScalingTable& table, Table& rows);

/// Which steps from K to the next stay inside a node and which go between nodes, and what each
/// keeps of the efficiency. No items where no shape is known.
Items growth_items(const ScalingTable& table);

/// Runs that are in the study and not in the table, by K.
std::vector<std::string> uncounted_runs(const ScalingTable& table);

/// T_setup(K), which is no part of T(K). No rows where it is not known.
Table setup_table(const ScalingTable& table);

/// "base" for the baseline program, K for the others.
std::string point_name(const ScalingPoint& point);

/// ok, low, or borderline: its interval includes the threshold.
const char* verdict(const ScalingPoint& point);

/// "K = 1 of the program itself", or the baseline program.
std::string base_text(const ScalingTable& table);

}  // namespace kstar
