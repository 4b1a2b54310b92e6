#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/fit/curve_form.h"
#include "analysis/fit/curve_prior.h"

/// What a curve's times say about the shapes of one form: the posterior over a grid of shapes, by
/// plain summation. It is exact at a bound of zero, where the bootstrap and the delta method fail,
/// and the same at every run.
namespace kstar::curves {

/// One point of a curve: the logarithm of its time with its standard error.
struct Sample {
  double workers = 1;
  double log_time = 0;
  double error = 0;
};

/// A curve of the posterior. The logarithm of its time at the reference is normal.
struct Node {
  const Form* form = nullptr;
  Shape shape;
  double misfit = 0;    ///< sd of what the form misses at every K
  double log_mean = 0;  ///< of the time at the reference
  double log_error = 0;
  double weight = 0;
};

struct Posterior {
  double log_evidence = 0;
  std::vector<Node> nodes;  ///< weights sum to 1
};

/// The reference is the largest K of the samples.
Posterior posterior_of(const Form& form, std::span<const Sample> samples, const Prior& prior);

}  // namespace kstar::curves
