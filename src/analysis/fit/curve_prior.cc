#include "analysis/fit/curve_prior.h"

namespace kstar::curves {

namespace {

// One program, one problem, measured with repeats: the laws hold, and what scatters is noise.
constexpr Prior kMeasured{
    .fixed_work = {0.25, 0.35, 0.30, 0.05, 0.05},
    .growing_work = {0.35, 0.45, 0.20},
    .misfit_weight = {0.85, 0.07, 0.04, 0.02, 0.01, 0.01},
};

// Single values of anybody: settings change with K, and every point is off in its own way.
constexpr Prior kPublished{
    .fixed_work = {0.838, 0.10, 0.02, 0.002, 0.04},
    .growing_work = {0.60, 0.35, 0.05},
    .misfit_weight = {0.04, 0.08, 0.22, 0.29, 0.24, 0.13},
};

}  // namespace

const Prior& prior_of(CurveOrigin origin) {
  return origin == CurveOrigin::kMeasured ? kMeasured : kPublished;
}

}  // namespace kstar::curves
