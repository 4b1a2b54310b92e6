#pragma once

#include <string>
#include <vector>

#include "report/analysis/point_columns.h"

/// What a result costs, and notes in as few lines as they need.
namespace kstar {

/// CPU use and worker-seconds per result before the last column, as far as one screen has room: a
/// table in two halves is worse.
void add_costs(const ScalingTable& table, std::vector<PointColumn>& columns, Table& rows);

/// What the runs used of their machine, and what a result costs; no rows where nothing is known.
Table usage_table(const ScalingTable& table);

/// Notes that say the same of several K, in one.
std::vector<std::string> said_once(const std::vector<std::string>& notes);

}  // namespace kstar
