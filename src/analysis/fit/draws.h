#pragma once

#include <cstddef>
#include <vector>

#include "analysis/fit/posterior.h"

namespace kstar::curves {

/// One curve of the posterior, drawn: its form, how it leaves that at every K measured, and how it
/// goes on beyond.
struct Draw {
  const Candidate* candidate = nullptr;
  std::vector<double> path;  ///< what is added to log g at the samples
  double drift = 0;          ///< and, times the root of the doublings, beyond the largest K
  double own_variance = 0;   ///< of log T of a point, beyond what repeats tell: published values
};

/// Where a K lies among those measured.
struct Spot {
  Place place;
  std::size_t before = 0;  ///< the sample at or before it
  double share = 0;        ///< of the way to the next one, over log2 K
  double beyond = 0;       ///< doublings behind the largest K
};

/// Curves that are equally likely, always the same ones. The posterior outlives them.
class Draws {
 public:
  Draws(const Posterior& posterior, std::size_t count);

  const std::vector<Draw>& all() const { return draws_; }
  const std::vector<Sample>& samples() const { return posterior_.samples.points; }

  Spot spot_of(double workers) const;
  double log_time_at(const Draw& draw, const Spot& spot) const;
  /// The same without the drift beyond the largest K: as the form goes on.
  double log_form_at(const Draw& draw, const Spot& spot) const;

 private:
  const Posterior& posterior_;
  std::vector<Draw> draws_;
};

}  // namespace kstar::curves
