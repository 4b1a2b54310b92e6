#include <algorithm>
#include <array>
#include <cmath>

#include "kstar/network_cost.h"

/// R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in
/// MPICH, IJHPCA 19(1), 2005: rounds and volumes for p workers and n bytes, where n is the whole
/// buffer of one worker. Where p is no power of two, recursive doubling and halving let the workers
/// beyond the next lower one hand over their data first and get the result last: two rounds and 2n
/// more in an all-reduce.
namespace kstar {

namespace {

bool is_power_of_two(double p) {
  return std::exp2(std::floor(std::log2(p))) == p;
}

double none(double) {
  return 0;
}
double once(double) {
  return 1;
}
double tree_depth(double p) {
  return std::ceil(std::log2(p) - 1e-9);
}
double doublings(double p) {
  return std::floor(std::log2(p) + 1e-9) + (is_power_of_two(p) ? 0 : 2);
}
double others(double p) {
  return p - 1;
}
double share_of_others(double p) {
  return (p - 1) / p;
}
double twice_depth(double p) {
  return 2 * tree_depth(p);
}
double twice_others(double p) {
  return 2 * (p - 1);
}
double twice_share(double p) {
  return 2 * share_of_others(p);
}
double halving_rounds(double p) {
  return 2 * std::floor(std::log2(p) + 1e-9) + (is_power_of_two(p) ? 0 : 2);
}
double halving_volume(double p) {
  if (is_power_of_two(p)) return twice_share(p);
  return twice_share(std::exp2(std::floor(std::log2(p)))) + 2;
}
/// n / 2 in each of ceil(lg p) rounds.
double bruck_volume(double p) {
  return tree_depth(p) / 2;
}
double scatter_then_ring(double p) {
  return tree_depth(p) + p - 1;
}
/// A pipeline through two trees reaches the full bandwidth in both directions.
double two(double) {
  return 2;
}

constexpr std::array kAlgorithms = {
    Algorithm{Collective::kAllReduce, "recursive-doubling", doublings, doublings, doublings},
    Algorithm{Collective::kAllReduce, "halving-doubling", halving_rounds, halving_volume,
              share_of_others},
    Algorithm{Collective::kAllReduce, "tree", twice_depth, two, once},
    Algorithm{Collective::kAllReduce, "ring", twice_others, twice_share, share_of_others},
    Algorithm{Collective::kReduceScatter, "halving", tree_depth, share_of_others, share_of_others},
    Algorithm{Collective::kReduceScatter, "ring", others, share_of_others, share_of_others},
    Algorithm{Collective::kAllGather, "doubling", tree_depth, share_of_others, none},
    Algorithm{Collective::kAllGather, "ring", others, share_of_others, none},
    Algorithm{Collective::kBroadcast, "binomial", tree_depth, tree_depth, none},
    Algorithm{Collective::kBroadcast, "scatter-doubling", twice_depth, twice_share, none},
    Algorithm{Collective::kBroadcast, "scatter-ring", scatter_then_ring, twice_share, none},
    Algorithm{Collective::kBroadcast, "pipeline", others, once, none},
    Algorithm{Collective::kReduce, "binomial", tree_depth, tree_depth, tree_depth},
    Algorithm{Collective::kReduce, "halving-gather", twice_depth, twice_share, share_of_others},
    Algorithm{Collective::kReduce, "pipeline", others, once, once},
    Algorithm{Collective::kAllToAll, "bruck", tree_depth, bruck_volume, none},
    Algorithm{Collective::kAllToAll, "pairwise", others, share_of_others, none},
    Algorithm{Collective::kPointToPoint, "message", once, once, none}};

}  // namespace

std::vector<Algorithm> algorithms_of(Collective collective) {
  std::vector<Algorithm> all;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective) all.push_back(algorithm);
  }
  return all;
}

std::optional<Algorithm> find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective && algorithm.name == name) return algorithm;
  }
  return std::nullopt;
}

double algorithm_time(const Algorithm& algorithm, const Wire& wire, double bytes, double workers) {
  if (workers < 2) return 0;
  return algorithm.rounds(workers) * wire.latency +
         bytes * (algorithm.volume(workers) * wire.per_byte +
                  algorithm.reduced(workers) * wire.per_reduced);
}

std::optional<double> crossover(const Algorithm& a, const Algorithm& b, const Wire& wire,
                                double workers) {
  const auto slope = [&](const Algorithm& one) {
    return one.volume(workers) * wire.per_byte + one.reduced(workers) * wire.per_reduced;
  };
  const double rounds = (b.rounds(workers) - a.rounds(workers)) * wire.latency;
  const double bytes = rounds / (slope(a) - slope(b));
  return std::isfinite(bytes) && bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::vector<CheapestFrom> cheapest_by_size(Collective collective, const Wire& wire,
                                           double workers) {
  const std::vector<Algorithm> all = algorithms_of(collective);
  std::vector<double> edges = {0};
  for (const Algorithm& a : all) {
    for (const Algorithm& b : all) {
      if (const auto at = crossover(a, b, wire, workers)) edges.push_back(*at);
    }
  }
  std::sort(edges.begin(), edges.end());
  std::vector<CheapestFrom> found;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double end = i + 1 < edges.size() ? edges[i + 1] : 2 * edges[i] + 1;
    if (end <= edges[i]) continue;
    const double inside = (edges[i] + end) / 2;
    const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return algorithm_time(a, wire, inside, workers) < algorithm_time(b, wire, inside, workers);
    });
    if (found.empty() || found.back().algorithm.name != best->name) {
      found.push_back({edges[i], *best});
    }
  }
  return found;
}

}  // namespace kstar
