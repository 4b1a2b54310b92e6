#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "comm/group.h"
#include "kstar/network_cost.h"

/// Inside and between nodes, from sweeps on one and on several full nodes of g workers:
/// alpha(N) = inside + r(N) between, beta(N) = inside + v(N) between, by weighted least squares
/// that keep both from being negative; r is log2 N or N - 1, whichever fits better where three N
/// tell.
namespace kstar::comm {

namespace {

/// Formulas of collectives hold within about a tenth.
constexpr double kFormula = 0.1, kReachOfTwo = 1.96;

struct LevelPoint {
  double nodes = 1;
  double value = 0, error = 0;  ///< the error is relative
};

struct TwoParts {
  Bounded inside, between;
  double misfit = 0;
};

LevelPoint point_of(double nodes, const Bounded& value) {
  const double error = value.point > 0 && std::isfinite(value.high)
                           ? (value.high - value.low) / (2 * kReachOfTwo * value.point)
                           : 1;
  return {nodes, value.point, std::hypot(std::min(error, 1.0), kFormula)};
}

/// value = inside + x between, both not negative.
template <typename Factor>
TwoParts two_parts(const std::vector<LevelPoint>& points, const Factor& factor) {
  double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0;
  for (const LevelPoint& one : points) {
    if (!(one.value > 0)) continue;
    const double weight = 1 / std::pow(one.error * one.value, 2), x = factor(one.nodes);
    w0 += weight, w1 += weight * x, w2 += weight * x * x;
    y0 += weight * one.value, y1 += weight * x * one.value;
  }
  const double determinant = w0 * w2 - w1 * w1;
  TwoParts parts;
  double inside = determinant > 0 ? (w2 * y0 - w1 * y1) / determinant : 0;
  double between = determinant > 0 ? (w0 * y1 - w1 * y0) / determinant : 0;
  if (between < 0) between = 0, inside = w0 > 0 ? y0 / w0 : 0;
  if (inside < 0) inside = 0, between = w2 > 0 ? y1 / w2 : 0;
  for (const LevelPoint& one : points) {
    if (!(one.value > 0)) continue;
    const double off = (inside + between * factor(one.nodes)) / one.value - 1;
    parts.misfit += std::pow(off / one.error, 2);
  }
  const double degrees = std::max(1.0, static_cast<double>(points.size()) - 2);
  const double wider = kReachOfTwo * std::sqrt(std::max(1.0, parts.misfit / degrees));
  const auto around = [&](double value, double variance) {
    const double reach = wider * std::sqrt(std::max(0.0, variance));
    return Bounded{value, std::max(0.0, value - reach), value + reach};
  };
  parts.inside = around(inside, determinant > 0 ? w2 / determinant : 0);
  parts.between = around(between, determinant > 0 ? w0 / determinant : 0);
  return parts;
}

double doubling_rounds(double nodes) {
  return std::log2(nodes);
}
double ring_rounds(double nodes) {
  return nodes - 1;
}

/// Whether sizes were small enough to tell a latency: at the smallest, it takes as long as bytes
/// do.
bool tells_latency(const NetworkPiece& first) {
  return first.alpha.point >= first.beta.point * first.from;
}

NetworkLevels levels_from(Collective collective, double node_workers,
                          const std::vector<const CommFit*>& fits) {
  NetworkLevels levels{.collective = collective, .node_workers = node_workers};
  std::vector<LevelPoint> alphas, betas;
  for (const CommFit* fit : fits) {
    if (tells_latency(fit->pieces.front())) {
      alphas.push_back(point_of(fit->nodes, fit->pieces.front().alpha));
    }
    if (tells_bandwidth(fit->pieces)) {
      betas.push_back(point_of(fit->nodes, fit->pieces.back().beta));
    }
  }
  const TwoParts doubling = two_parts(alphas, doubling_rounds);
  const TwoParts ring = two_parts(alphas, ring_rounds);
  const bool rings = ring.misfit < doubling.misfit;
  // Three numbers of nodes tell which, where one of the two is clearly worse.
  constexpr std::size_t kTelling = 3;
  constexpr double kClearly = 4;
  if (alphas.size() >= kTelling && std::abs(ring.misfit - doubling.misfit) > kClearly) {
    levels.rounds = rings ? "ring" : "doubling";
  }
  const TwoParts& latency = levels.rounds == "ring" ? ring : doubling;
  levels.inside_alpha = latency.inside, levels.between_alpha = latency.between;
  if (alphas.empty() || alphas.front().nodes != 1) {
    // Without the latency of one node nothing says which part of it is inside.
    constexpr double kUnknownPart = std::numeric_limits<double>::infinity();
    levels.inside_alpha = levels.between_alpha = {0, 0, kUnknownPart};
    levels.rounds.clear();
  }
  const TwoParts volume =
      two_parts(betas, [&](double nodes) { return bus_factor(collective, nodes); });
  levels.inside_beta = volume.inside, levels.between_beta = volume.between;
  return levels;
}

}  // namespace

std::vector<NetworkLevels> levels_of(const std::vector<CommFit>& fits) {
  using Key = std::tuple<Collective, std::string, double>;
  std::map<Key, std::map<double, const CommFit*>> shapes;  // by nodes
  for (const CommFit& fit : fits) {
    const bool several = fit.nodes >= 1 && fit.workers > fit.nodes && !fit.pieces.empty() &&
                         fit.collective != Collective::kPointToPoint;
    const double each = several ? fit.workers / fit.nodes : 0;
    if (!several || each != std::floor(each)) continue;
    shapes[{fit.collective, fit.tool.substr(0, fit.tool.find(' ')), each}][fit.nodes] = &fit;
  }
  std::vector<NetworkLevels> all;
  for (const auto& [key, by_nodes] : shapes) {
    // Without a sweep on one node what is inside is a guess: on public sweeps of 4 to 32 nodes it
    // predicted worse than the growth with K.
    if (by_nodes.count(1) == 0 || by_nodes.size() < 2) continue;
    std::vector<const CommFit*> list;
    for (const auto& [nodes, fit] : by_nodes) list.push_back(fit);
    all.push_back(levels_from(std::get<0>(key), std::get<2>(key), list));
  }
  return all;
}

}  // namespace kstar::comm
