#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/fit/beliefs.h"
#include "analysis/fit/sample.h"

/// How a curve leaves its form. With r_i = log T_i - log g(K_i),
///   r_i = x(log2 K_i) + e_i,
/// x is a random walk over log2 K whose start is unknown, e_i the error of the sample. All is
/// normal: a Kalman filter gives the density of the samples and the state at any K, in time
/// proportional to the number of K, and what it does to r is the same for every form and shape.
namespace kstar::curves {

/// One way to walk.
struct Walk {
  double drift = 0;  ///< the standard deviation that a doubling adds
  ErrorCase errors;
  std::optional<std::size_t> change;     ///< behind the sample of this number the level may jump
  std::optional<std::size_t> disturbed;  ///< the sample of this number, and it alone
  Belief disturbance;                    ///< of it
  double log_weight = 0;                 ///< before any data

  double drift_beyond() const { return change ? kAfterChange * drift : drift; }
};

/// The state at a K: the mean is the sum of weights[i] r_i.
struct State {
  std::vector<double> weights;
  double variance = 0;
};

class Walks {
 public:
  explicit Walks(const CurveSamples& samples);

  std::size_t size() const { return walks_.size(); }
  const Walk& operator[](std::size_t i) const { return walks_[i]; }

  /// The log density of the residuals under the walks from `first` up to `last`.
  void log_densities(std::span<const double> residuals, std::size_t first, std::size_t last,
                     std::vector<double>& out) const;

  /// By which the sample of that number is off.
  double error_variance(std::size_t walk, std::size_t i) const {
    return error_variance(walks_[walk], i);
  }

  State at(std::size_t walk, double workers) const;

  /// One path through all K, as likely as the residuals make it; as many normal draws as K.
  std::vector<double> path(std::size_t walk, std::span<const double> residuals,
                           std::span<const double> normals) const;

 private:
  double step_variance(const Walk& walk, std::size_t i) const;
  double error_variance(const Walk& walk, std::size_t i) const;
  void prepare();

  std::vector<Sample> samples_;
  std::vector<Walk> walks_;
  // By sample, then by walk.
  std::vector<double> gains_, precisions_, variances_;
  std::vector<double> constants_;
};

}  // namespace kstar::curves
