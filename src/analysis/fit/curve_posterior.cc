#include "analysis/fit/curve_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kstar::curves {

namespace {

/// Below the largest by so much, a logarithm of a weight no longer counts.
constexpr double kNegligible = 14;

struct Box {
  std::array<double, 2> low{0, 0};
  std::array<double, 2> high{1, 1};
};

std::size_t steps_of(std::size_t dimensions) {
  return dimensions == 1 ? 96 : 28;
}

double log_beta_density(double x, double p, double q) {
  return (p - 1) * std::log(x) + (q - 1) * std::log1p(-x) + std::lgamma(p + q) - std::lgamma(p) -
         std::lgamma(q);
}

/// The prior's density at a place of the unit cube.
double log_prior(const Form& form, std::span<const double> place, const Prior& prior) {
  double sum = 0;
  if (form.count >= 2) sum += log_beta_density(place[0], prior.overhead_p, prior.overhead_q);
  if (form.has_exponent) {
    const double exponent = place[form.count - 1];
    // A power law alone has the exponent of the whole curve, not of its worse part.
    if (form.count >= 2) sum += log_beta_density(exponent, prior.exponent_p, prior.exponent_q);
  }
  return sum;
}

struct GridNode {
  std::array<double, 2> place{};
  double log_weight = 0;
  double log_mean = 0;
};

class Grid {
 public:
  Grid(const Form& form, std::span<const Sample> samples, const Prior& prior)
      : form_(form), samples_(samples), prior_(prior) {
    for (const Sample& sample : samples) reference_ = std::max(reference_, sample.workers);
  }

  /// The nodes over the part of the unit cube that matters at this misfit.
  std::vector<GridNode> nodes_at(double misfit) {
    Box box;
    std::vector<GridNode> nodes;
    for (int round = 0; round < 8; ++round) {
      nodes = fill(box, misfit);
      const Box next = around(nodes, box);
      double kept = 1;
      for (std::size_t d = 0; d < form_.dimensions(); ++d) {
        kept *= (next.high[d] - next.low[d]) / (box.high[d] - box.low[d]);
      }
      if (kept > 0.4) break;
      box = next;
    }
    return nodes;
  }

  double log_error(double misfit) const {
    double sum = 0;
    for (const Sample& sample : samples_) {
      sum += 1 / variance_of(sample, misfit);
    }
    return std::sqrt(1 / sum);
  }

 private:
  std::vector<GridNode> fill(const Box& box, double misfit) {
    const std::size_t dimensions = form_.dimensions();
    const std::size_t steps = steps_of(dimensions);
    const std::size_t second = dimensions == 2 ? steps : 1;
    double log_cell = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      log_cell += std::log((box.high[d] - box.low[d]) / static_cast<double>(steps));
    }
    std::vector<GridNode> nodes;
    nodes.reserve(steps * second);
    for (std::size_t j = 0; j < second; ++j) {
      for (std::size_t i = 0; i < steps; ++i) {
        GridNode node;
        node.place[0] = at(box, 0, i, steps);
        if (dimensions == 2) node.place[1] = at(box, 1, j, steps);
        weigh(node, misfit);
        node.log_weight += log_cell;
        nodes.push_back(node);
      }
    }
    return nodes;
  }

  double variance_of(const Sample& sample, double misfit) const {
    const double away = prior_.fade * std::log2(reference_ / sample.workers);
    return sample.error * sample.error + misfit * misfit * (1 + away * away);
  }

  static double at(const Box& box, std::size_t d, std::size_t i, std::size_t steps) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(steps);
    return box.low[d] + (box.high[d] - box.low[d]) * middle;
  }

  /// The likelihood of the samples, the time at the reference integrated out.
  void weigh(GridNode& node, double misfit) {
    const std::span<const double> place(node.place.data(), form_.dimensions());
    const Shape shape = shape_of(form_, place);
    double sum = 0, weights = 0, squares = 0, log_variances = 0;
    for (const Sample& sample : samples_) {
      const double residual = sample.log_time - log_time(form_, shape, sample.workers, reference_);
      const double variance = variance_of(sample, misfit);
      sum += residual / variance;
      squares += residual * residual / variance;
      weights += 1 / variance;
      log_variances += std::log(variance);
    }
    node.log_mean = sum / weights;
    const double misses = squares - sum * sum / weights;
    const auto n = static_cast<double>(samples_.size());
    node.log_weight = log_prior(form_, place, prior_) - misses / 2 - log_variances / 2 -
                      std::log(weights) / 2 - (n - 1) / 2 * std::log(2 * std::numbers::pi);
  }

  Box around(const std::vector<GridNode>& nodes, const Box& box) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const GridNode& node : nodes) most = std::max(most, node.log_weight);
    Box next{{1, 1}, {0, 0}};
    const std::size_t dimensions = form_.dimensions();
    const auto steps = static_cast<double>(steps_of(dimensions));
    for (const GridNode& node : nodes) {
      if (node.log_weight < most - kNegligible) continue;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const double cell = (box.high[d] - box.low[d]) / steps;
        next.low[d] = std::min(next.low[d], std::max(box.low[d], node.place[d] - 1.5 * cell));
        next.high[d] = std::max(next.high[d], std::min(box.high[d], node.place[d] + 1.5 * cell));
      }
    }
    return next;
  }

  const Form& form_;
  std::span<const Sample> samples_;
  const Prior& prior_;
  double reference_ = 1;
};

}  // namespace

Posterior posterior_of(const Form& form, std::span<const Sample> samples, const Prior& prior) {
  Grid grid(form, samples, prior);
  Posterior posterior;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < prior.misfit.size(); ++m) {
    const double misfit = prior.misfit[m];
    const double error = grid.log_error(misfit);
    const double log_misfit_weight = std::log(prior.misfit_weight[m]);
    for (const GridNode& node : grid.nodes_at(misfit)) {
      const double log_weight = node.log_weight + log_misfit_weight;
      if (log_weight < most - kNegligible) continue;
      most = std::max(most, log_weight);
      const std::span<const double> place(node.place.data(), form.dimensions());
      posterior.nodes.push_back(
          {&form, shape_of(form, place), misfit, node.log_mean, error, log_weight});
    }
  }
  double sum = 0;
  for (Node& node : posterior.nodes) {
    node.weight = std::exp(node.weight - most);
    sum += node.weight;
  }
  for (Node& node : posterior.nodes) node.weight /= sum;
  posterior.log_evidence = most + std::log(sum);
  return posterior;
}

}  // namespace kstar::curves
