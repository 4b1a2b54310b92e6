#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kstar/export.h"
#include "kstar/models.h"
#include "kstar/scaling_table.h"
#include "kstar/study.h"

/// Whole curves that the times allow, for answers that depend on several K at once: the chance that
/// a job on 8 workers keeps a deadline, the K that is fastest.
namespace kstar {

/// Curves of the posterior of fit_models(), all equally likely, always the same ones.
struct CurveDraws {
  std::vector<double> workers;
  std::vector<std::vector<double>> times;  ///< of each curve: seconds at each of `workers`
  /// Of each curve: what one more run takes over its T, drawn. It is what a deadline is about; S
  /// and E do not have it.
  std::vector<double> run_factors;
};

/// Needs two K, like fit_models().
KSTAR_EXPORT Result<CurveDraws> draw_curves(const Curve& curve, std::span<const double> workers,
                                            std::size_t count = 1000);

/// The curve that analyze() fits: of the parallel program of this study.
KSTAR_EXPORT Curve measured_curve(const Study& study, const ScalingTable& table);

}  // namespace kstar
