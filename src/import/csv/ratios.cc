#include "import/csv/ratios.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar {

namespace {

/// An efficiency is rarely above 1, and never far above it.
constexpr double kMostShare = 1.1;
/// What a percentage of an efficiency may be. At its base it is 100.
constexpr double kLeastPercent = 30, kMostPercent = 200;
/// No speedup is so many times the workers.
constexpr double kMostSpeedup = 1.5;

double most_workers(const CsvSurvey& survey, const ImportOptions& options) {
  double most = 0;
  for (const ColumnFacts& column : survey.columns) {
    const bool counts = options.worker_column.empty() ? column.says.kind == ColumnKind::kWorkers
                                                      : column.name == options.worker_column;
    if (counts) most = std::max(most, column.largest);
  }
  return most;
}

/// Without a percent sign anywhere.
bool looks_like_percent(const ColumnFacts& column) {
  return column.says.scale == 1 && column.percents == 0 && column.largest >= kLeastPercent &&
         column.largest <= kMostPercent;
}

void settle_scaling(ColumnFacts& column, double workers) {
  const double largest = column.largest * (column.percents > 0 ? 1 : column.says.scale);
  if (workers < 2) return;
  if (largest <= kMostShare) {
    column.says.kind = ColumnKind::kEfficiency;
    const bool percent = column.percents > 0 || column.says.scale != 1;
    column.reading = fmt::format("an efficiency: no value is above {}", percent ? "100%" : "1");
  } else if (looks_like_percent(column) && column.largest > kMostSpeedup * workers) {
    column.says.kind = ColumnKind::kEfficiency;
    column.says.scale = 0.01;
    column.reading = "an efficiency in percent: a speedup would not be so large";
  } else {
    column.reading = "a speedup: an efficiency would not be above 1";
  }
}

void settle_percent(ColumnFacts& column) {
  const bool most = 2 * column.above_one > column.numbers;
  if (!most || column.says.scale != 1 || column.percents > 0) return;
  if (looks_like_percent(column)) {
    column.says.scale = 0.01;
    column.reading = "an efficiency in percent: values are far above 1";
  } else {
    column.unlikely = true;
  }
}

}  // namespace

void settle_ratios(CsvSurvey& survey, const ImportOptions& options) {
  const double workers = most_workers(survey, options);
  for (ColumnFacts& column : survey.columns) {
    if (column.numbers == 0) continue;
    if (column.says.speedup_or_efficiency) {
      settle_scaling(column, workers);
    } else if (column.says.kind == ColumnKind::kEfficiency) {
      settle_percent(column);
    }
  }
}

}  // namespace kstar
