#include "kstar/network.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/text.h"

namespace kstar {

namespace {

constexpr std::array kAllCollectives = {Collective::kAllReduce,   Collective::kReduceScatter,
                                        Collective::kAllGather,   Collective::kBroadcast,
                                        Collective::kReduce,      Collective::kAllToAll,
                                        Collective::kPointToPoint};

/// Letters alone, small: "All_Reduce" and "all-reduce" are the same.
std::string bare_name(std::string_view name) {
  std::string bare = lower_case(name);
  std::erase_if(bare, [](char c) { return c == '-' || c == '_' || c == ' '; });
  return bare;
}

}  // namespace

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return "all-reduce";
    case Collective::kReduceScatter:
      return "reduce-scatter";
    case Collective::kAllGather:
      return "all-gather";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kReduce:
      return "reduce";
    case Collective::kAllToAll:
      return "all-to-all";
    case Collective::kPointToPoint:
      break;
  }
  return "point-to-point";
}

std::optional<Collective> collective_named(std::string_view name) {
  const std::string bare = bare_name(name);
  for (const Collective collective : kAllCollectives) {
    if (bare == bare_name(name_of(collective))) return collective;
  }
  if (bare == "bcast") return Collective::kBroadcast;
  if (bare == "p2p" || bare == "sendrecv" || bare == "pingpong") return Collective::kPointToPoint;
  return std::nullopt;
}

std::span<const Collective> all_collectives() {
  return kAllCollectives;
}

double bus_factor(Collective collective, double workers) {
  const double others = workers > 1 ? (workers - 1) / workers : 0;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * others;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return others;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kPointToPoint:
      break;
  }
  return 1;
}

void sort_sweeps(Network& network) {
  const auto key = [](const NetworkSweep& sweep) {
    return std::tuple(sweep.collective, sweep.nodes > 1, sweep.workers, sweep.nodes);
  };
  std::stable_sort(network.sweeps.begin(), network.sweeps.end(),
                   [&](const NetworkSweep& a, const NetworkSweep& b) { return key(a) < key(b); });
}

}  // namespace kstar
