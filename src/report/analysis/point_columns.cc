#include "report/analysis/point_columns.h"

#include <algorithm>

namespace kstar {

Table table_of(const ScalingTable& table, const std::vector<PointColumn>& columns) {
  Table rows;
  for (const PointColumn& column : columns) {
    rows.columns.push_back(
        {.name = column.name, .new_group = column.new_group, .joined = column.joined});
  }
  for (const ScalingPoint& point : table.points) {
    std::vector<std::string>& row = rows.rows.emplace_back();
    for (const PointColumn& column : columns) row.push_back(column.cell(point));
  }
  return rows;
}

bool any_point(const ScalingTable& table, const std::function<bool(const ScalingPoint&)>& has) {
  return std::any_of(table.points.begin(), table.points.end(), has);
}

}  // namespace kstar
