#pragma once

#include <optional>
#include <string>

#include "kstar/scaling_table.h"
#include "kstar/study.h"

/// What the spread of T says: workers that are late now and then make it grow with K.
namespace kstar::causes {

struct ScatterGrowth {
  /// Of the loss at the last K: what would be gone if every run were as fast as the fastest.
  double explains = 0;
  std::string text;
};

/// None where runs scatter no more at the last K than at the base, beyond chance.
std::optional<ScatterGrowth> scatter_growth(const ScalingTable& table, const ScalingPoint& last,
                                            double confidence);

/// Three runs or more that hardly differ: whoever is late is late in every run.
bool is_steady(const ScalingPoint& point);

/// Likewise of the steps inside of runs: the mean step above a fast one.
std::optional<ScatterGrowth> step_scatter(const Study& study, const ScalingTable& table,
                                          const ScalingPoint& last, double confidence);

}  // namespace kstar::causes
