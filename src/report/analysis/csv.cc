#include <algorithm>
#include <cmath>
#include <string_view>

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
  return line + "," + (judged ? verdict(point) : "");
}

constexpr std::string_view kTrainingColumns =
    ",batch,work,work_low,work_high,throughput,throughput_low,throughput_high,fixed,fixed_low,"
    "fixed_high,train_E,train_E_low,train_E_high,algorithm,algorithm_low,algorithm_high,system,"
    "system_low,system_high,training,training_low,training_high";

/// Empty cells where this K says nothing of it.
std::string training_of(const TimeToTrain& train, const ScalingPoint& at) {
  for (const TrainingPoint& point : train.points) {
    if (point.workers != at.workers || at.role == Role::kBaseline) continue;
    std::string line = "," + (point.batch ? cell(*point.batch) : "");
    add(point.work, line);
    add(point.throughput, line);
    add(point.fixed, line);
    add(point.efficiency, line);
    add(point.algorithm, line);
    add(point.system, line);
    add(point.training, line);
    return line;
  }
  const auto cells = std::count(kTrainingColumns.begin(), kTrainingColumns.end(), ',');
  return std::string(static_cast<std::size_t>(cells), ',');
}

}  // namespace

std::string to_csv(const Analysis& analysis) {
  std::string text =
      "K,role,shape,runs,T,T_low,T_high,T_std,T_median,T_min,T_max,S,S_low,S_high,E,E_low,E_high,"
      "karp_flatt,karp_flatt_low,karp_flatt_high,verdict";
  const auto& train = analysis.time_to_train;
  if (train) text += kTrainingColumns;
  text += "\n";
  for (const ScalingPoint& point : analysis.table.points) {
    text += line_of(point) + (train ? training_of(*train, point) : "") + "\n";
  }
  return text;
}

}  // namespace kstar
