#pragma once

#include <vector>

#include "kstar/plan.h"

namespace kstar::planning {

/// Time, cost and efficiency of the whole job at every K, of one curve.
struct Priced {
  std::vector<double> time, cost, efficiency, energy, worker_hours;
};

/// All curves of a job; with what one more run may take beyond its T, for limits.
struct PricedJob {
  const PlanJob* job = nullptr;
  std::vector<Priced> curves;
  std::vector<Priced> runs;  ///< empty: as `curves`
  std::vector<bool> fits;    ///< at each K, in memory
  std::vector<bool> known;   ///< at each K: it was measured, or lies between such without a doubt
};

/// `work` in runs or, where the problem grows, in work of the smallest K.
PricedJob priced(const PlanJob& job, const PlanOptions& options, double work);

/// Medians and intervals at the K of this number.
PlanPoint point_at(const PricedJob& priced, std::size_t at, const PlanOptions& options,
                   double work);

PlanAnswer answer_to(const Goal& goal, const PricedJob& priced, const PlanOptions& options,
                     double work);

/// Medians over the curves: T of one run at the K of this number, and PlanJob::base.
double middle_time(const PlanJob& job, std::size_t at);
double middle_base(const PlanJob& job);

/// The value below which that share of them is.
double quantile(std::vector<double> values, double share);

}  // namespace kstar::planning
