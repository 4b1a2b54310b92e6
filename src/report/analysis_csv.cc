#include <cmath>

#include "base/number.h"
#include "kstar/analysis_report.h"
#include "report/csv.h"
#include "report/scaling_cells.h"

namespace kstar {

namespace {

/// What is not there, and what has no bound, is an empty cell.
std::string cell(double value) {
  return std::isfinite(value) ? shortest(value) : "";
}

void add(const std::optional<Estimate>& estimate, std::string& line) {
  if (!estimate) {
    line += ",,,";
    return;
  }
  for (const double value : {estimate->point, estimate->low, estimate->high}) {
    line += "," + cell(value);
  }
}

std::string line_of(const ScalingPoint& point) {
  std::string line = std::to_string(point.workers) + "," + std::string(name_of(point.role)) + "," +
                     csv_cell(point.shape ? shape_text(*point.shape) : "") + "," +
                     std::to_string(point.times.n);
  add(point.time, line);
  for (const double value :
       {point.times.standard_deviation, point.times.median, point.times.min, point.times.max}) {
    line += "," + cell(value);
  }
  for (const auto* estimate : {&point.speedup, &point.efficiency, &point.karp_flatt}) {
    add(*estimate, line);
  }
  const bool judged = point.efficiency && point.role == Role::kParallel;
  return line + "," + (judged ? verdict(point) : "") + "\n";
}

}  // namespace

std::string to_csv(const Analysis& analysis) {
  std::string text =
      "K,role,shape,runs,T,T_low,T_high,T_std,T_median,T_min,T_max,S,S_low,S_high,E,E_low,E_high,"
      "karp_flatt,karp_flatt_low,karp_flatt_high,verdict\n";
  for (const ScalingPoint& point : analysis.table.points) text += line_of(point);
  return text;
}

}  // namespace kstar
