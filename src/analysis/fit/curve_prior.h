#pragma once

#include <array>

#include "analysis/fit/curve_form.h"
#include "kstar/models.h"

/// What is believed about a curve before any data, and where it comes from: docs/models.md.
namespace kstar::curves {

struct Prior {
  /// Weights of the forms, in their order; each set sums to 1.
  std::array<double, 5> fixed_work{};
  std::array<double, 3> growing_work{};

  /// Beta distributions: of the share of the time at the largest K that does not scale ideally, and
  /// of the exponent of a part that shrinks or grows like a power.
  double overhead_p = 1, overhead_q = 3;
  double exponent_p = 1.25, exponent_q = 2;

  /// The misfit: by how much (the standard deviation of a logarithm) every form misses every point,
  /// beyond the noise. Six values, and how likely each is.
  std::array<double, 6> misfit{0.002, 0.01, 0.03, 0.06, 0.12, 0.24};
  std::array<double, 6> misfit_weight{};

  double drift = 1;  ///< how much of a misfit is added with every doubling beyond the data
  double fade = 2;   ///< the same with every doubling below the largest K: old news count less
};

const Prior& prior_of(CurveOrigin origin);

}  // namespace kstar::curves
