#include "analysis/fit/curve_average.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kstar::curves {

namespace {

/// Two K fix the level and the slope of any form: only what comes behind them is a test.
constexpr std::size_t kForFree = 2;

/// Nodes lighter than this move no digit that is shown.
constexpr double kLightest = 1e-8;

}  // namespace

Average average_of(std::span<const Form> forms, std::span<const double> form_priors,
                   std::span<const Sample> samples, const Prior& prior) {
  Average average;
  average.drift = prior.drift;
  for (const Sample& sample : samples) {
    average.reference = std::max(average.reference, sample.workers);
  }
  std::vector<Posterior> posteriors;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    posteriors.push_back(posterior_of(forms[i], samples, prior));
    double log_weight = std::log(form_priors[i]) + posteriors.back().log_evidence;
    if (samples.size() > kForFree) {
      log_weight -= posterior_of(forms[i], samples.first(kForFree), prior).log_evidence;
    }
    average.forms.push_back(&forms[i]);
    average.weights.push_back(log_weight);
    most = std::max(most, log_weight);
  }
  double sum = 0;
  for (double& weight : average.weights) {
    weight = std::exp(weight - most);
    sum += weight;
  }
  for (std::size_t i = 0; i < forms.size(); ++i) {
    average.weights[i] /= sum;
    for (Node& node : posteriors[i].nodes) {
      node.weight *= average.weights[i];
      if (node.weight >= kLightest) average.nodes.push_back(node);
    }
  }
  return average;
}

}  // namespace kstar::curves
