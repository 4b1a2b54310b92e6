#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kstar/estimate.h"

namespace kstar::curves {

/// A normal distribution of a logarithm, and its weight in a mixture.
struct Component {
  double mean = 0;
  double deviation = 0;
  double weight = 0;
};

/// A mixture whose parts are merged until asking it for quantiles is cheap.
class Mixture {
 public:
  explicit Mixture(std::span<const Component> components);

  double quantile(double share) const;

  /// The median and the interval of exp(sign x + shift), where x has the mixture's distribution.
  Estimate estimate(double confidence, double sign = 1, double shift = 0) const;

 private:
  std::vector<Component> components_;
  double low_ = 0;
  double high_ = 0;
};

/// The median and the interval of what has these quantiles; `at` takes a share from 0 to 1.
Estimate estimate_by(const std::function<double(double)>& at, double confidence);

/// The same of values that are equally likely; infinite ones are allowed.
Estimate estimate_of(std::vector<double> values, double confidence);

/// The same of values with weights.
struct Weighted {
  double value = 0;
  double weight = 0;
};
Estimate estimate_of(std::vector<Weighted> values, double confidence);

}  // namespace kstar::curves
