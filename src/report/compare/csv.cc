#include <cmath>

#include "base/number.h"
#include "kstar/compare_report.h"

namespace kstar {

namespace {

/// What is not there, and what has no bound, is an empty cell.
std::string cell(double value) {
  return std::isfinite(value) ? "," + shortest(value) : ",";
}

std::string cells(const RatioChange& change) {
  return cell(change.ratio.point) + cell(change.ratio.low) + cell(change.ratio.high) +
         cell(change.p) + cell(change.adjusted_p);
}

std::string line_of(const WorkersChange& point) {
  std::string line = std::to_string(point.workers) + "," + std::to_string(point.runs_before) + "," +
                     std::to_string(point.runs_after);
  line += cell(point.before.point) + cell(point.after.point) + cells(point.time);
  line += "," + std::string(name_of(point.verdict)) + "," + (point.settled ? "yes" : "no") + ",";
  if (point.more_runs) line += std::to_string(*point.more_runs);
  return line + (point.efficiency ? cells(*point.efficiency) : ",,,,,") + "\n";
}

}  // namespace

std::string to_csv(const Comparison& comparison) {
  std::string text =
      "workers,runs_before,runs_after,time_before,time_after,ratio,ratio_low,ratio_high,p,"
      "adjusted_p,verdict,settled,more_runs,efficiency_ratio,efficiency_ratio_low,"
      "efficiency_ratio_high,efficiency_p,efficiency_adjusted_p\n";
  for (const WorkersChange& point : comparison.points) text += line_of(point);
  return text;
}

}  // namespace kstar
