#pragma once

#include <span>
#include <vector>

#include "analysis/fit/curve_posterior.h"

/// All forms together: each weighs what it predicted.
namespace kstar::curves {

struct Average {
  std::vector<const Form*> forms;
  std::vector<double> weights;  ///< of the forms; they sum to 1
  std::vector<Node> nodes;      ///< of all forms; their weights sum to 1
  double reference = 1;         ///< the largest K of the samples
  double drift = 1;             ///< of the prior
};

/// The weight of a form is its prior weight times the density that it gave to each K before it saw
/// it, the samples taken by K from the third on. Samples are by K, two or more.
Average average_of(std::span<const Form> forms, std::span<const double> form_priors,
                   std::span<const Sample> samples, const Prior& prior);

}  // namespace kstar::curves
