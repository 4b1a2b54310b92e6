#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/number.h"
#include "kstar/network_cost.h"
#include "network/growth.h"

namespace kstar {

namespace {

using namespace costs;

/// Which sweeps of a collective a K is like: on one node where it fits there, on several otherwise.
Sweeps alike(const Network& network, Collective collective, double workers, bool& leaves_node) {
  Sweeps inside, between, all;
  for (const NetworkSweep& sweep : network.sweeps) {
    if (sweep.collective != collective || sweep.workers < 2) continue;
    all.push_back(&sweep);
    (sweep.nodes == 1 ? inside : between).push_back(&sweep);
  }
  const bool seen = std::any_of(all.begin(), all.end(), [&](const NetworkSweep* sweep) {
    return sweep->workers == workers && sweep->nodes == 1;
  });
  const bool fits = seen || (network.node_workers && workers <= *network.node_workers);
  if (!between.empty() && (!fits || inside.empty())) return between;
  leaves_node = !fits && !inside.empty() && workers > inside.back()->workers;
  return inside.empty() ? between : inside;
}

/// Whether all that was seen may have been on one node, and K may need more: where no file says on
/// how many nodes. Several K tell how they grow, but up to what one server has, inside it as
/// likely.
bool may_leave_node(const Network& network, double workers) {
  constexpr double kOneServer = 16;     // GPUs of the largest
  constexpr double kLargestNode = 384;  // cores of two large processors
  double least = kUnknown, most = 0;
  for (const NetworkSweep& sweep : network.sweeps) {
    if (sweep.collective == Collective::kPointToPoint || sweep.workers < 2) continue;
    if (sweep.nodes > 0) return false;
    least = std::min(least, sweep.workers);
    most = std::max(most, sweep.workers);
  }
  if (network.node_workers && workers <= *network.node_workers) return false;
  return workers > most && most <= (least == most ? kLargestNode : kOneServer);
}

/// "measured", or between which sizes it was.
std::string size_evidence(const Sweeps& same, double bytes) {
  double below = 0, above = kUnknown;
  for (const NetworkSweep* sweep : same) {
    for (const double seen : sweep->curve.bytes) {
      if (seen <= bytes) below = std::max(below, seen);
      if (seen >= bytes) above = std::min(above, seen);
    }
  }
  if (below == above || std::isinf(above)) return "measured";
  return fmt::format("between {} and {} measured", size_text(below), size_text(above));
}

/// Several sweeps of one K are several measurements of the same: their middle, and all of them.
CollectiveCost measured_cost(const Sweeps& same, double bytes) {
  CollectiveCost cost{.basis = CostBasis::kMeasured};
  double logs = 0;
  cost.seconds = {0, kUnknown, 0};
  for (const NetworkSweep* sweep : same) {
    const Bounded time = sweep_time(*sweep, bytes, cost.size_beyond);
    cost.seconds.point = time.point;
    logs += std::log(time.point) / static_cast<double>(same.size());
    cost.seconds.low = std::min(cost.seconds.low, time.low);
    cost.seconds.high = std::max(cost.seconds.high, time.high);
    take_doubts(*sweep, cost);
  }
  if (same.size() > 1) cost.seconds.point = std::exp(logs);
  cost.from = cost.size_beyond ? "measured at other sizes" : size_evidence(same, bytes);
  return cost;
}

CollectiveCost seen_cost(const Network& network, const Sweeps& sweeps, double bytes,
                         double workers) {
  Sweeps same;
  for (const NetworkSweep* sweep : sweeps) {
    if (sweep->workers == workers) same.push_back(sweep);
  }
  if (!same.empty()) return measured_cost(same, bytes);
  if (workers > sweeps.back()->workers) {
    const NetworkLevels* both = levels_of(network, *sweeps.back(), bytes);
    CollectiveCost cost = both != nullptr ? beyond_nodes(*both, *sweeps.back(), bytes, workers)
                                          : beyond_seen(sweeps, bytes, workers);
    hold_recovery(sweeps, bytes, workers, cost);
    cost.condition += growth_condition(sweeps);
    return cost;
  }
  if (workers < sweeps.front()->workers) return beyond_seen(sweeps, bytes, workers);
  std::size_t above = 0;
  while (sweeps[above]->workers < workers) ++above;
  return between_seen(*sweeps[above - 1], *sweeps[above], bytes, workers);
}

/// By every pair of algorithms: one that the collective seen might be, one for that asked.
CollectiveCost derived_cost(const NetworkSweep& sweep, Collective asked, double bytes,
                            double workers) {
  CollectiveCost cost{.basis = CostBasis::kDerived};
  const Bounded base = sweep_time(sweep, bytes, cost.size_beyond);
  const NetworkPiece& piece = piece_at(sweep, bytes);
  double least = kUnknown, most = 0;
  for (const Algorithm& seen : algorithms_of(sweep.collective)) {
    const Wire wire{.latency = piece.alpha.point / seen.rounds(sweep.workers),
                    .per_byte = piece.beta.point / seen.volume(sweep.workers)};
    double best = kUnknown;
    for (const Algorithm& one : algorithms_of(asked)) {
      best = std::min(best, algorithm_time(one, wire, bytes, workers));
    }
    least = std::min(least, best);
    most = std::max(most, best);
  }
  const double low = base.low / base.point, high = base.high / base.point;
  cost.seconds = {std::sqrt(least * most), least * low, most * high};
  take_doubts(sweep, cost);
  cost.distance = std::max(workers / sweep.workers, sweep.workers / workers);
  cost.from =
      fmt::format("derived from {} on K = {}", name_of(sweep.collective), shortest(sweep.workers));
  return cost;
}

/// The sweep of another collective that is nearest in kind, then in K.
const NetworkSweep* nearest_other(const Network& network, double workers) {
  const auto rank = [&](const NetworkSweep& sweep) {
    const bool message = sweep.collective == Collective::kPointToPoint;
    return (message ? 100 : 0) + std::abs(std::log2(workers / std::max(2.0, sweep.workers)));
  };
  const NetworkSweep* best = nullptr;
  for (const NetworkSweep& sweep : network.sweeps) {
    if (sweep.workers < 2) continue;
    if (best == nullptr || rank(sweep) < rank(*best)) best = &sweep;
  }
  return best;
}

/// The largest size measured up to this one; 0 where there is none.
double last_size(const NetworkSweep& sweep, double bytes, double& seconds) {
  const auto& sizes = sweep.curve.bytes;
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), bytes);
  if (above == sizes.begin()) return 0;
  const auto i = static_cast<std::size_t>(above - sizes.begin()) - 1;
  seconds = sweep.curve.seconds[i];
  return sizes[i];
}

/// What fewer bytes on as many or fewer workers took. A measurement of more of both says more, and
/// replaces it.
double measured_floor(const Sweeps& sweeps, double bytes, double workers) {
  double floor = 0;
  for (const NetworkSweep* one : sweeps) {
    double seconds = 0;
    const double size = one->workers <= workers ? last_size(*one, bytes, seconds) : 0;
    if (!(size > 0)) continue;
    const bool replaced = std::any_of(sweeps.begin(), sweeps.end(), [&](const NetworkSweep* two) {
      double other = 0;
      const double larger = two->workers <= workers ? last_size(*two, bytes, other) : 0;
      return two != one && larger >= size && two->workers >= one->workers &&
             (larger > size || two->workers > one->workers);
    });
    if (!replaced) floor = std::max(floor, seconds);
  }
  return floor;
}

/// More bytes or more workers than were measured take no less.
void hold_monotone(const Sweeps& sweeps, double bytes, double workers, CollectiveCost& cost) {
  const bool beyond = cost.size_beyond || cost.basis == CostBasis::kBeyond;
  if (!beyond) return;
  const double floor = measured_floor(sweeps, bytes, workers);
  double point = floor;
  if (cost.basis == CostBasis::kBeyond && workers > sweeps.back()->workers) {
    bool outside = false;
    point = std::max(point, sweep_time(*sweeps.back(), bytes, outside).point);
  }
  Bounded& seconds = cost.seconds;
  // At sizes seen, times on more workers were also measured below those on fewer, by noise.
  if (cost.size_beyond) seconds.low = std::max(seconds.low, floor);
  seconds.point = std::max({seconds.point, point, seconds.low});
  seconds.high = std::max(seconds.high, seconds.point);
}

Error too_small(const Network& network, Collective collective, double largest, double bytes) {
  return {.where = network.name.empty() ? "network" : network.name,
          .message = fmt::format("{} was measured up to {}, too small to tell a bandwidth: nothing "
                                 "says what {} takes",
                                 name_of(collective), size_text(largest), size_text(bytes)),
          .hint = "measure sizes near the one asked for"};
}

}  // namespace

Result<CollectiveCost> collective_cost(const Network& network, Collective collective, double bytes,
                                       double workers) {
  if (!(bytes >= 0) || !std::isfinite(bytes)) {
    return fail(expected("bytes", "a size of 0 bytes or more", shortest(bytes)));
  }
  if (!(workers >= 1) || !std::isfinite(workers)) {
    return fail(expected("workers", "1 worker or more", shortest(workers)));
  }
  if (workers < 2) {
    return CollectiveCost{.seconds = {0, 0, 0}, .from = "one worker sends nothing"};
  }
  bool leaves_node = false;
  Sweeps sweeps = alike(network, collective, workers, leaves_node);
  const double largest = sweeps.empty() ? 0 : sweeps.back()->pieces.back().to;
  const bool any = !sweeps.empty();
  const Sweeps measured = sweeps;
  std::erase_if(sweeps, [&](const NetworkSweep* one) { return says_nothing(*one, bytes); });
  if (any && sweeps.empty()) {
    return fail(too_small(network, collective, largest, bytes));
  }
  CollectiveCost cost;
  if (!sweeps.empty()) {
    cost = seen_cost(network, sweeps, bytes, workers);
    hold_monotone(measured, bytes, workers, cost);
  } else {
    const NetworkSweep* other = nearest_other(network, workers);
    if (other == nullptr) {
      return fail({.where = network.name,
                   .message = fmt::format("has no sweep of two or more workers to take {} from",
                                          name_of(collective))});
    }
    if (says_nothing(*other, bytes)) {
      return fail(too_small(network, other->collective, other->pieces.back().to, bytes));
    }
    cost = derived_cost(*other, collective, bytes, workers);
    leaves_node = other->nodes == 1 && workers > other->workers &&
                  !(network.node_workers && workers <= *network.node_workers);
  }
  if (leaves_node) {
    cost.leaves_node = true;
    cost.seconds.high = kUnknown;
    cost.condition += ", all on one node: at least this between nodes";
  } else if (collective != Collective::kPointToPoint && may_leave_node(network, workers)) {
    cost.seconds.high = kUnknown;
    cost.condition +=
        ", which may share one node: between nodes it takes longer (--nodes of kstar comm tells)";
  }
  return cost;
}

std::string basis_text(const CollectiveCost& cost) {
  return cost.from + cost.condition;
}

std::string_view doubt_of(const CollectiveCost& cost) {
  if (cost.wrong) return "the benchmark found its results wrong";
  return cost.irregular ? "the times seen are irregular" : "";
}

Result<ImpliedWire> wire_of(const Network& network, Collective collective, double workers) {
  bool leaves_node = false;
  const Sweeps messages = alike(network, Collective::kPointToPoint, workers, leaves_node);
  if (!messages.empty()) {
    const NetworkSweep& sweep = *messages.front();
    return ImpliedWire{
        {.latency = sweep.pieces.front().alpha.point, .per_byte = sweep.pieces.back().beta.point},
        "messages between two workers"};
  }
  const Sweeps sweeps = alike(network, collective, workers, leaves_node);
  if (sweeps.empty()) {
    return fail({.where = network.name,
                 .message = fmt::format("has neither messages nor {} of several workers",
                                        name_of(collective))});
  }
  const auto nearest = std::min_element(
      sweeps.begin(), sweeps.end(), [&](const NetworkSweep* a, const NetworkSweep* b) {
        return std::abs(std::log(a->workers / workers)) < std::abs(std::log(b->workers / workers));
      });
  const NetworkSweep& sweep = **nearest;
  const std::vector<Algorithm> all = algorithms_of(collective);
  const auto named = find_algorithm(collective, sweep.pieces.front().algorithm);
  const Algorithm& first = named ? *named : all.front();
  const double volume = bus_factor(collective, sweep.workers);
  return ImpliedWire{
      {.latency = sweep.pieces.front().alpha.point / first.rounds(sweep.workers),
       .per_byte = sweep.pieces.back().beta.point / volume},
      fmt::format("{} on K = {}, if small ones go by {} and large ones use every link fully",
                  name_of(collective), shortest(sweep.workers), first.name)};
}

std::string evidence_text(const CollectiveCost& cost) {
  const std::string_view doubt = doubt_of(cost);
  return fmt::format("{}{}{}", basis_text(cost), doubt.empty() ? "" : "; doubtful, as ", doubt);
}

}  // namespace kstar
