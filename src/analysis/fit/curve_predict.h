#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/fit/curve_average.h"
#include "kstar/estimate.h"

/// What an average of curves says about a K.
namespace kstar::curves {

/// A normal distribution of a logarithm, and its weight in a mixture.
struct Component {
  double mean = 0;
  double deviation = 0;
  double weight = 0;
};

/// The time at K: noise, parameters, forms and misfit in one mixture. A misfit grows with every
/// doubling beyond the largest K.
std::vector<Component> log_time_at(const Average& average, double workers);

/// A mixture whose parts are merged until asking it for quantiles is cheap.
class Mixture {
 public:
  explicit Mixture(std::span<const Component> components);

  double quantile(double share) const;

  /// The median and the interval of exp(sign x + shift), where x has the mixture's distribution and
  /// `shift` an error of its own.
  Estimate estimate(double confidence, double sign = 1, double shift = 0) const;

 private:
  std::vector<Component> components_;
  double low_ = 0;
  double high_ = 0;
};

/// The same mixture with an independent normal error added to its logarithm.
std::vector<Component> with_error(std::vector<Component> components, double error);

/// One curve of the average, drawn.
struct Draw {
  const Form* form = nullptr;
  Shape shape;
  double log_time = 0;  ///< at the reference
  double drift = 0;     ///< added to the logarithm with every doubling beyond it
  double reference = 1;

  double log_time_at(double workers) const;
};

/// `count` curves, each as likely, always the same ones.
std::vector<Draw> draws_of(const Average& average, std::size_t count);

/// The median and the interval of what has these quantiles; `at` takes a share from 0 to 1.
Estimate estimate_by(const std::function<double(double)>& at, double confidence);

/// The same of values that are equally likely; infinite ones are allowed.
Estimate estimate_of(std::vector<double> values, double confidence);

}  // namespace kstar::curves
