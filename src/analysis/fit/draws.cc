#include "analysis/fit/draws.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace kstar::curves {

Draws::Draws(const Posterior& posterior, std::size_t count) : posterior_(posterior) {
  Random random(1);
  const std::size_t points = posterior.samples.points.size();
  std::vector<double> normals(points);
  double below = 0;
  auto node = posterior.nodes.begin();
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    while (node + 1 != posterior.nodes.end() && below + node->weight < wanted) {
      below += (node++)->weight;
    }
    for (double& normal : normals) normal = random.normal();
    const Candidate& candidate = posterior.candidates[node->candidate];
    draws_.push_back({&candidate, posterior.walks.path(node->walk, candidate.residuals, normals),
                      posterior.walks[node->walk].drift_beyond() * random.normal(),
                      posterior.walks[node->walk].errors.added});
  }
}

Spot Draws::spot_of(double workers) const {
  const std::vector<Sample>& points = samples();
  const auto behind = std::upper_bound(points.begin(), points.end(), workers,
                                       [](double k, const Sample& s) { return k < s.workers; });
  Spot spot{.place = place_of(workers)};
  if (behind == points.begin()) return spot;
  spot.before = static_cast<std::size_t>(behind - points.begin()) - 1;
  const double away = std::log2(workers / points[spot.before].workers);
  if (behind == points.end()) {
    spot.beyond = away;
  } else {
    spot.share = away / std::log2(behind->workers / points[spot.before].workers);
  }
  return spot;
}

double Draws::log_form_at(const Draw& draw, const Spot& spot) const {
  const double here = draw.path[spot.before];
  const double next = spot.share > 0 ? draw.path[spot.before + 1] : here;
  return log_time(posterior_, *draw.candidate, spot.place) + here + spot.share * (next - here);
}

double Draws::log_time_at(const Draw& draw, const Spot& spot) const {
  return log_form_at(draw, spot) + draw.drift * std::sqrt(spot.beyond);
}

}  // namespace kstar::curves
