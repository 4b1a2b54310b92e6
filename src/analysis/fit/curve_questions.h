#pragma once

#include <optional>
#include <span>

#include "analysis/fit/curve_predict.h"
#include "kstar/models.h"

/// The questions people ask of a curve, asked of every drawn one.
namespace kstar::curves {

/// How S and E follow from T; the base is the smallest K.
struct Base {
  double workers = 1;
  double log_time = 0;
  double error = 0;  ///< of log_time
  bool growing_work = false;
};

/// T, S and E at K, misfit included.
PredictedWorkers predicted_at(const Average& average, const Base& base, double workers,
                              double confidence);

/// The curve itself at K, as drawn ones have it: for a drawing, where thousands of sums would be
/// too dear.
PredictedWorkers drawn_at(std::span<const Draw> draws, const Base& base, double workers,
                          double confidence);

/// The K where efficiency falls below the threshold; infinite where it never does.
Estimate bend_of(std::span<const Draw> draws, const Base& base, double threshold,
                 double confidence);

/// The K of least time, and the largest speedup; infinite where time falls for ever.
Estimate best_workers_of(std::span<const Draw> draws, const Base& base, double confidence);
Estimate ceiling_of(std::span<const Draw> draws, const Base& base, double confidence);

}  // namespace kstar::curves
