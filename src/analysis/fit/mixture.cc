#include "analysis/fit/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

namespace kstar::curves {

namespace {

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace

Mixture::Mixture(std::span<const Component> components) {
  constexpr double kFar = 9;
  constexpr double kBins = 800;
  constexpr double kDeviationsPerFactor = 6;  // bins of deviations, to a factor of e
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  for (const Component& one : components) {
    low_ = std::min(low_, one.mean - kFar * one.deviation);
    high_ = std::max(high_, one.mean + kFar * one.deviation);
  }
  const double width = std::max(high_ - low_, 1e-12) / kBins;
  std::map<std::pair<int, int>, Component> bins;
  double total = 0;
  for (const Component& one : components) {
    const std::pair bin{static_cast<int>((one.mean - low_) / width),
                        static_cast<int>(std::floor(std::log(std::max(one.deviation, 1e-12)) *
                                                    kDeviationsPerFactor))};
    Component& sum = bins[bin];
    sum.mean += one.weight * one.mean;
    sum.deviation += one.weight * one.deviation;
    sum.weight += one.weight;
    total += one.weight;
  }
  for (const auto& [bin, sum] : bins) {
    components_.push_back(
        {sum.mean / sum.weight, std::max(sum.deviation / sum.weight, 1e-12), sum.weight / total});
  }
}

double Mixture::quantile(double share) const {
  double low = low_, high = high_;
  for (int i = 0; i < 36; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const Component& one : components_) {
      below += one.weight * normal_cdf((middle - one.mean) / one.deviation);
    }
    (below < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

Estimate Mixture::estimate(double confidence, double sign, double shift) const {
  const auto at = [&](double share) {
    return std::exp(sign * quantile(sign > 0 ? share : 1 - share) + shift);
  };
  return estimate_by(at, confidence);
}

Estimate estimate_by(const std::function<double(double)>& at, double confidence) {
  Estimate estimate;
  estimate.point = at(0.5);
  estimate.low = at((1 - confidence) / 2);
  estimate.high = at((1 + confidence) / 2);
  // A mixture has no standard error worth the name; two thirds of it lie within this one.
  estimate.standard_error = (at(0.8413) - at(0.1587)) / 2;
  estimate.confidence = confidence;
  estimate.method = IntervalMethod::kPosterior;
  return estimate;
}

Estimate estimate_of(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(place))];
  };
  return estimate_by(at, confidence);
}

Estimate estimate_of(std::vector<Weighted> values, double confidence) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0;
  for (Weighted& one : values) total = one.weight += total;
  const auto at = [&](double share) {
    const auto found =
        std::lower_bound(values.begin(), values.end(), share * total,
                         [](const Weighted& one, double wanted) { return one.weight < wanted; });
    return found != values.end() ? found->value : values.back().value;
  };
  return estimate_by(at, confidence);
}

}  // namespace kstar::curves
