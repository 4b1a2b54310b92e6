#include "analysis/fit/quality.h"

#include <cmath>
#include <map>
#include <vector>

#include "analysis/fit/mixture.h"

namespace kstar::curves {

namespace {

struct ChangeSum {
  double weight = 0;
  double log_step = 0;
};

/// The likeliest change, where it is likelier than none.
std::optional<CurveChange> change_of(const Posterior& posterior) {
  constexpr double kLikely = 0.5;
  std::map<std::size_t, ChangeSum> sums;
  for (const Node& node : posterior.nodes) {
    const std::optional<std::size_t> change = posterior.walks[node.walk].change;
    if (!change) continue;
    const std::vector<double>& residuals = posterior.candidates[node.candidate].residuals;
    ChangeSum& sum = sums[*change];
    sum.weight += node.weight;
    sum.log_step += node.weight * (residuals[*change + 1] - residuals[*change]);
  }
  for (const auto& [at, sum] : sums) {
    if (sum.weight < kLikely) continue;
    return CurveChange{.from = posterior.samples.points[at].workers,
                       .to = posterior.samples.points[at + 1].workers,
                       .factor = std::exp(sum.log_step / sum.weight),
                       .probability = sum.weight};
  }
  return std::nullopt;
}

/// Of one curve, log of the value over what the others suggest: its own weight takes part of it.
double log_off(const Posterior& posterior, const Node& node, std::size_t at) {
  const std::vector<double>& residuals = posterior.candidates[node.candidate].residuals;
  const State state = posterior.walks.at(node.walk, posterior.samples.points[at].workers);
  double mean = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) mean += state.weights[i] * residuals[i];
  return (residuals[at] - mean) / (1 - state.weights[at]);
}

/// The value that is likelier disturbed than not.
std::optional<DisturbedValue> disturbed_value(const Posterior& posterior) {
  constexpr double kLikely = 0.5, kCounts = 1e-3;
  std::map<std::size_t, ChangeSum> sums;
  for (const Node& node : posterior.nodes) {
    const std::optional<std::size_t> at = posterior.walks[node.walk].disturbed;
    if (at) sums[*at].weight += node.weight;
  }
  for (auto& [at, sum] : sums) {
    if (sum.weight < kLikely) continue;
    double counted = 0;
    for (const Node& node : posterior.nodes) {
      if (posterior.walks[node.walk].disturbed != at || node.weight < kCounts) continue;
      sum.log_step += node.weight * log_off(posterior, node, at);
      counted += node.weight;
    }
    return DisturbedValue{.workers = posterior.samples.points[at].workers,
                          .factor = counted > 0 ? std::exp(sum.log_step / counted) : 1,
                          .probability = sum.weight};
  }
  return std::nullopt;
}

}  // namespace

GoodnessOfFit goodness_of(const Posterior& posterior) {
  constexpr double kForms = 0.03;  // what a good form may miss by with every doubling
  constexpr double kSure = 0.95;
  GoodnessOfFit goodness;
  std::vector<Weighted> drifts;
  double beyond = 0;
  for (const Node& node : posterior.nodes) {
    const double drift = posterior.walks[node.walk].drift;
    drifts.push_back({drift, node.weight});
    if (drift > kForms) beyond += node.weight;
  }
  goodness.drift = estimate_of(std::move(drifts), kSure).point;
  goodness.beyond_errors = beyond > kSure;
  goodness.change = change_of(posterior);
  goodness.disturbed = disturbed_value(posterior);
  return goodness;
}

}  // namespace kstar::curves
