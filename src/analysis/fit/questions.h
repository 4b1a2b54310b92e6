#pragma once

#include <utility>
#include <vector>

#include "analysis/fit/draws.h"
#include "kstar/limits.h"
#include "kstar/models.h"

/// The questions people ask of a curve. S and E are against the time at the smallest K, with its
/// error: S = T(K0)/T(K), times K/K0 where the work grows, and E = S K0/K.
namespace kstar::curves {

/// How much work there is at K, over that at the smallest K.
class Work {
 public:
  Work() = default;  ///< as much at every K
  explicit Work(const Curve& curve);

  /// Between the K that say it, and beyond, it grows in proportion to what K adds.
  double at(double workers) const;

 private:
  std::vector<std::pair<double, double>> points_;  ///< K and work, by K; empty: fixed
};

struct Question {
  double confidence = 0.95;
  double threshold = kThreshold;
  Work work;
  double common_error = 0;  ///< of log T, the same at all K
};

/// T, S and E at K.
PredictedWorkers predicted_at(const Posterior& posterior, double workers, const Question& asked);

/// The same of drawn curves: for a drawing, where thousands of sums would be too dear.
PredictedWorkers drawn_at(const Draws& draws, double workers, const Question& asked);

/// The K where efficiency falls below the threshold; infinite where it never does.
Estimate bend_of(const Draws& draws, const Question& asked);

/// How likely the efficiency of each K measured is below the threshold.
std::vector<double> low_chances(const Draws& draws, const Question& asked);

/// How likely each K measured is the first with an efficiency below the threshold; at the end, how
/// likely none is.
std::vector<double> first_bad_chances(const Draws& draws, const Question& asked);

/// The K of least time, and the largest speedup; infinite where time falls for ever. `ends` is how
/// the curve ends: where it gains nothing more, a form that would gain for ever is not asked.
Estimate best_workers_of(const Draws& draws, const Question& asked);
Estimate ceiling_of(const Draws& draws, const Question& asked, CurveEnd ends);

CurveEnd end_of(const Draws& draws, const Question& asked);

/// How likely four times the workers gain less than twice the speed.
double limit_chance(const Draws& draws, const Question& asked);

}  // namespace kstar::curves
