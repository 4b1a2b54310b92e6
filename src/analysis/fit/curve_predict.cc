#include "analysis/fit/curve_predict.h"

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

/// By bisection: a thousand draws need no faster way.
double normal_quantile(double share) {
  double low = -8, high = 8;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The digits of `index` in this base, mirrored at the point: even coverage of (0, 1).
double halton(std::size_t index, std::size_t base) {
  double value = 0, place = 1;
  for (std::size_t rest = index; rest > 0; rest /= base) {
    place /= static_cast<double>(base);
    value += place * static_cast<double>(rest % base);
  }
  return value;
}

double doublings_beyond(double workers, double reference) {
  return std::max(0.0, std::log2(workers / reference));
}

}  // namespace

std::vector<Component> log_time_at(const Average& average, double workers) {
  const double away = average.drift * doublings_beyond(workers, average.reference);
  std::vector<Component> components;
  components.reserve(average.nodes.size());
  for (const Node& node : average.nodes) {
    const double miss = node.misfit * node.misfit * (1 + away * away);
    components.push_back(
        {node.log_mean + log_time(*node.form, node.shape, workers, average.reference),
         std::sqrt(node.log_error * node.log_error + miss), node.weight});
  }
  return components;
}

std::vector<Component> with_error(std::vector<Component> components, double error) {
  for (Component& component : components) {
    component.deviation = std::hypot(component.deviation, error);
  }
  return components;
}

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
  const double outside = (1 - confidence) / 2;
  Estimate estimate;
  estimate.point = std::exp(sign * quantile(0.5) + shift);
  const double one = std::exp(sign * quantile(outside) + shift);
  const double other = std::exp(sign * quantile(1 - outside) + shift);
  estimate.low = std::min(one, other);
  estimate.high = std::max(one, other);
  // A mixture has no standard error worth the name; two thirds of it lie within this one.
  estimate.standard_error = (std::exp(quantile(0.8413)) - std::exp(quantile(0.1587))) / 2 *
                            (sign > 0 ? std::exp(shift) : estimate.point / std::exp(quantile(0.5)));
  estimate.confidence = confidence;
  estimate.method = IntervalMethod::kPosterior;
  return estimate;
}

double Draw::log_time_at(double workers) const {
  return log_time + curves::log_time(*form, shape, workers, reference) +
         drift * doublings_beyond(workers, reference);
}

std::vector<Draw> draws_of(const Average& average, std::size_t count) {
  std::vector<Draw> draws;
  draws.reserve(count);
  double below = 0;
  std::size_t at = 0;
  double total = 0;
  for (const Node& node : average.nodes) total += node.weight;
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * total;
    while (at + 1 < average.nodes.size() && below + average.nodes[at].weight < wanted) {
      below += average.nodes[at++].weight;
    }
    const Node& node = average.nodes[at];
    Draw draw{node.form, node.shape, node.log_mean, 0, average.reference};
    draw.log_time += node.log_error * normal_quantile(halton(i + 1, 2));
    draw.drift = average.drift * node.misfit * normal_quantile(halton(i + 1, 3));
    draws.push_back(draw);
  }
  return draws;
}

Estimate estimate_by(const std::function<double(double)>& at, double confidence) {
  Estimate estimate;
  estimate.point = at(0.5);
  estimate.low = at((1 - confidence) / 2);
  estimate.high = at((1 + confidence) / 2);
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

}  // namespace kstar::curves
