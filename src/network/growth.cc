#include "network/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"

/// Time is alpha(K) + beta(K) n. The rounds of an algorithm grow at least as log2 K and at most as
/// K - 1, the bytes through each link at least as the bus factor and at most as log2 K times it;
/// the K seen say where in between.
namespace kstar::costs {

namespace {

/// Growth of a time from K0 to K: what algorithms allow at least and at most.
struct GrowthRange {
  double least = 0, most = 0;
};

GrowthRange growth_range(const NetworkSweep& sweep, double bytes, double workers) {
  const double from = sweep.workers;
  const double log_ratio = std::log2(workers) / std::log2(from);
  const double ring = (workers - 1) / (from - 1);
  const double bus = bus_factor(sweep.collective, workers) / bus_factor(sweep.collective, from);
  const NetworkPiece& piece = piece_at(sweep, bytes);
  const double alpha = piece.alpha.point, beta = piece.beta.point * bytes;
  const double low = alpha * log_ratio + beta * bus;
  // Where the links between nodes limit, bytes grow with the bus factor of the nodes: from two
  // nodes to four by a half, however many workers each has.
  double bytes_grow = bus * std::max(1.0, log_ratio);
  if (workers > from && sweep.nodes >= 2) {
    const double nodes = sweep.nodes * workers / from;
    bytes_grow = std::max(bytes_grow, bus_factor(sweep.collective, nodes) /
                                          bus_factor(sweep.collective, sweep.nodes));
  }
  const double high = alpha * ring + beta * bytes_grow;
  const double time = alpha + beta;
  return workers > from ? GrowthRange{low / time, std::max(low, high) / time}
                        : GrowthRange{std::min(low, high) / time, low / time};
}

/// Where between least and most (0 and 1, on a logarithmic scale) the K seen grow at this size;
/// beyond 1 where they grow faster than any algorithm would.
std::vector<double> seen_growth(const Sweeps& sweeps, double bytes) {
  std::vector<double> places;
  for (std::size_t i = 0; i + 1 < sweeps.size(); ++i) {
    if (sweeps[i + 1]->workers <= sweeps[i]->workers) continue;
    bool beyond = false;
    const double grown = piece_time(*sweeps[i + 1], bytes, beyond).point /
                         piece_time(*sweeps[i], bytes, beyond).point;
    const GrowthRange range = growth_range(*sweeps[i], bytes, sweeps[i + 1]->workers);
    const double width = std::log(range.most / range.least);
    constexpr double kNarrow = 0.05, kMost = 3;
    const double place = std::log(grown / range.least) / std::max(width, kNarrow);
    places.push_back(std::clamp(place, -1.0, kMost));
  }
  return places;
}

/// By the algorithm that small and large sizes look like, where they look like the same.
std::optional<double> growth_by_name(const NetworkSweep& sweep, double bytes, double workers) {
  const std::string& name = sweep.pieces.front().algorithm;
  if (name.empty() || name != sweep.pieces.back().algorithm) return std::nullopt;
  const auto algorithm = find_algorithm(sweep.collective, name);
  if (!algorithm) return std::nullopt;
  const NetworkPiece& piece = piece_at(sweep, bytes);
  const double alpha = piece.alpha.point, beta = piece.beta.point * bytes;
  return (alpha * algorithm->rounds(workers) / algorithm->rounds(sweep.workers) +
          beta * algorithm->volume(workers) / algorithm->volume(sweep.workers)) /
         (alpha + beta);
}

/// Whether one node was measured at sizes as small as this one.
bool seen_on_one_node(const Network& network, const NetworkLevels& both, double bytes) {
  return std::none_of(network.sweeps.begin(), network.sweeps.end(), [&](const NetworkSweep& sweep) {
    return sweep.collective == both.collective && sweep.nodes == 1 &&
           sweep.workers == both.node_workers && bytes < sweep.pieces.front().from;
  });
}

}  // namespace

void take_doubts(const NetworkSweep& sweep, CollectiveCost& cost) {
  cost.irregular = cost.irregular || sweep.irregular;
  cost.wrong = cost.wrong || sweep.wrong;
}

CollectiveCost beyond_seen(const Sweeps& sweeps, double bytes, double workers) {
  const NetworkSweep& nearest = workers > sweeps.back()->workers ? *sweeps.back() : *sweeps.front();
  CollectiveCost cost{.basis = CostBasis::kBeyond};
  take_doubts(nearest, cost);
  const Bounded base = holding_seen(nearest, bytes, cost.size_beyond);
  const GrowthRange range = growth_range(nearest, bytes, workers);
  const std::vector<double> places = seen_growth(sweeps, bytes);
  double place = 0, least = 0, most = 1;
  if (!places.empty()) {
    for (const double one : places) place += one / static_cast<double>(places.size());
    place = std::max(0.0, place);  // that it will go on getting cheaper is not promised
    least = std::min(0.0, *std::min_element(places.begin(), places.end()));
    most = std::max(1.0, *std::max_element(places.begin(), places.end()));
  }
  const double width = std::log(range.most / range.least);
  const bool up = workers > nearest.workers;
  const auto at = [&](double where) {
    return up ? range.least * std::exp(where * width) : range.most * std::exp(-where * width);
  };
  const double point = growth_by_name(nearest, bytes, workers).value_or(at(place));
  const double low = std::min({at(least), at(most), point});
  const double high = std::max({at(least), at(most), point});
  cost.seconds = {base.point * point, base.low * low, base.high * high};
  // Of one K nothing says that its fixed cost grows at all.
  if (places.empty() && up) cost.seconds.low = std::min(cost.seconds.low, base.low);
  cost.distance = std::max(workers / nearest.workers, nearest.workers / workers);
  cost.from = fmt::format("extrapolated {}x from K = {}{}", significant(cost.distance, 2),
                          shortest(nearest.workers), places.empty() ? " alone" : "");
  return cost;
}

const NetworkLevels* levels_of(const Network& network, const NetworkSweep& nearest, double bytes) {
  for (const NetworkLevels& both : network.levels) {
    const bool same = both.collective == nearest.collective && nearest.nodes >= 2 &&
                      both.node_workers * nearest.nodes == nearest.workers;
    if (same && seen_on_one_node(network, both, bytes)) return &both;
  }
  return nullptr;
}

/// Beyond the nodes seen, full nodes each: what happens inside them stays as it is, rounds between
/// them grow as log2 N or as N - 1, bytes between them as the bus factor of N.
CollectiveCost beyond_nodes(const NetworkLevels& both, const NetworkSweep& nearest, double bytes,
                            double workers) {
  CollectiveCost cost{.basis = CostBasis::kBeyond};
  take_doubts(nearest, cost);
  const Bounded base = holding_seen(nearest, bytes, cost.size_beyond);
  const NetworkPiece& piece = piece_at(nearest, bytes);
  const double from = nearest.nodes, to = workers / both.node_workers;
  const auto rounds = [](double nodes, bool ring) { return ring ? nodes - 1 : std::log2(nodes); };
  const double alpha = piece.alpha.point, beta = piece.beta.point * bytes, time = alpha + beta;
  const double v_from = bus_factor(both.collective, from), v_to = bus_factor(both.collective, to);
  /// A share of each part is inside and does not grow.
  const auto grown = [&](bool ring, double a_inside, double b_inside) {
    const double a = a_inside + (1 - a_inside) * rounds(to, ring) / rounds(from, ring);
    const double b = b_inside + (1 - b_inside) * v_to / v_from;
    return (alpha * a + beta * b) / time;
  };
  const auto inside_share = [](const Bounded& inside, double between, double at) {
    const double all = inside.point + between * at;
    return all > 0 ? inside.point / all : 0;
  };
  const bool ring = both.rounds == "ring";
  const double a_share =
      inside_share(both.inside_alpha, both.between_alpha.point, rounds(from, ring));
  const double b_share = inside_share(both.inside_beta, both.between_beta.point, v_from);
  const double point = grown(ring, a_share, b_share);
  double least = std::min(point, grown(false, a_share, 1)),
         most = std::max(point, grown(true, 0, 0));
  if (!both.rounds.empty() && !ring) most = std::max(point, grown(true, a_share, 0));
  if (least > most) std::swap(least, most);
  cost.seconds = {base.point * point, base.low * least, base.high * most};
  cost.distance = std::max(workers / nearest.workers, nearest.workers / workers);
  cost.from = fmt::format("extrapolated {}x from K = {} by nodes", significant(cost.distance, 2),
                          shortest(nearest.workers));
  return cost;
}

void hold_recovery(const Sweeps& sweeps, double bytes, double workers, CollectiveCost& cost) {
  const auto before = std::find_if(sweeps.rbegin(), sweeps.rend(), [&](const NetworkSweep* one) {
    return one->workers < sweeps.back()->workers;
  });
  if (before == sweeps.rend()) return;
  bool beyond = false;
  const Bounded last = holding_seen(*sweeps.back(), bytes, beyond);
  const Bounded base = holding_seen(**before, bytes, beyond);
  const double most = growth_range(**before, bytes, sweeps.back()->workers).most;
  if (last.point <= most * base.point) return;
  const double low = base.low * growth_range(**before, bytes, workers).least;
  constexpr double kFar = 1.5;
  if (kFar * low < cost.seconds.low) cost.condition += ", slower than those before say";
  cost.seconds.low = std::min(cost.seconds.low, low);
}

std::string growth_condition(const Sweeps& sweeps) {
  const auto per_node = [](const NetworkSweep& one) { return one.workers / one.nodes; };
  const NetworkSweep& last = *sweeps.back();
  if (last.nodes < 2) return "";
  const bool alike = std::all_of(sweeps.begin(), sweeps.end(), [&](const NetworkSweep* one) {
    return one->nodes >= 1 && per_node(*one) == per_node(last);
  });
  if (!alike) return " if more nodes cost what more workers on each did";
  if (per_node(last) == 1) return " if every added worker is a node";
  return fmt::format(" if added nodes have {} workers each", shortest(per_node(last)));
}

CollectiveCost between_seen(const NetworkSweep& low, const NetworkSweep& high, double bytes,
                            double workers) {
  CollectiveCost cost{.basis = CostBasis::kBetween};
  const Bounded a = holding_seen(low, bytes, cost.size_beyond);
  const Bounded b = holding_seen(high, bytes, cost.size_beyond);
  const double share = std::log(workers / low.workers) / std::log(high.workers / low.workers);
  const auto mix = [&](double x, double y) { return x * std::pow(y / x, share); };
  const double point = mix(a.point, b.point);
  cost.seconds = {point, std::min({a.low, b.low, point}), std::max({a.high, b.high, point})};
  cost.distance = std::min(workers / low.workers, high.workers / workers);
  take_doubts(low, cost);
  take_doubts(high, cost);
  cost.from = fmt::format("between K = {} and {}", shortest(low.workers), shortest(high.workers));
  return cost;
}

}  // namespace kstar::costs
