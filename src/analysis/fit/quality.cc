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
  return goodness;
}

}  // namespace kstar::curves
