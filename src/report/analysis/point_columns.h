#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kstar/document.h"
#include "kstar/scaling_table.h"

/// Tables with one row for each point.
namespace kstar {

/// A column and how its cell is made from a point.
struct PointColumn {
  std::string name;
  std::function<std::string(const ScalingPoint&)> cell;
  bool new_group = false;
  bool joined = false;
};

Table table_of(const ScalingTable& table, const std::vector<PointColumn>& columns);

bool any_point(const ScalingTable& table, const std::function<bool(const ScalingPoint&)>& has);

}  // namespace kstar
