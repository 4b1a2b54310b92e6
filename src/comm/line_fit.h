#pragma once

#include <span>

#include "kstar/comm.h"

namespace kstar::comm {

/// time = alpha + beta bytes, alpha and beta not negative, by Huber's loss on log(time).
struct LineFit {
  double alpha = 0;
  double beta = 0;
  double cost = 0;         ///< sum of Huber's loss x 2: of small residuals, their squares
  double alpha_error = 0;  ///< standard errors for residuals of standard deviation 1
  double beta_error = 0;
};

/// `scale`: the standard deviation of log(time) beyond 1.345 times of which a residual is an
/// outlier. Two sizes or more.
LineFit fit_line(std::span<const CommSample> sizes, double scale);

/// Huber's loss x 2 of a residual.
double huber_cost(double residual, double scale);
/// The weight with which a residual counts, from 0 to 1.
double huber_weight(double residual, double scale);

/// The noise of log(time): how far sizes are from the line between their neighbours.
double neighbour_noise(std::span<const CommSample> sizes);

}  // namespace kstar::comm
