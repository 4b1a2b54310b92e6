#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/fit/forms.h"
#include "analysis/fit/walk.h"

/// What the samples say about forms, shapes and walks: a sum over a grid of shapes that zooms in on
/// where the weight is. Nothing is random and nothing fails at a bound.
namespace kstar::curves {

/// A shape that was tried, and log T - log g at every sample.
struct Candidate {
  const Form* form = nullptr;
  FormShape shape;
  std::vector<double> residuals;
};

/// A shape with one way to leave it.
struct Node {
  std::size_t candidate = 0;
  std::size_t walk = 0;
  double weight = 0;
};

struct Posterior {
  Range range;
  CurveSamples samples;
  Walks walks;
  std::vector<const Form*> forms;
  std::vector<double> weights;  ///< of the forms; they sum to 1
  std::vector<Candidate> candidates;
  std::vector<Node> nodes;  ///< their weights sum to 1
};

/// `forms` outlive it. Their weights are taken in proportion.
Posterior posterior_of(std::span<const Form* const> forms, const CurveSamples& samples);

/// log of the time at K over that of the candidate at the largest K.
double log_time(const Posterior& posterior, const Candidate& candidate, const Place& at);

}  // namespace kstar::curves
