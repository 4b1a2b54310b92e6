#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/number.h"
#include "kstar/network_cost.h"

/// A collective on K workers from sweeps on other K. Its time is alpha(K) + beta(K) n. The rounds
/// of an algorithm grow at least as log2 K and at most as K - 1, the bytes through each link at
/// least as the bus factor and at most as log2 K times it; the K seen say where in between.
namespace kstar {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kTwoSided = 1.96;

using Sweeps = std::vector<const NetworkSweep*>;

const NetworkPiece& piece_at(const NetworkSweep& sweep, double bytes) {
  for (std::size_t i = 0; i + 1 < sweep.pieces.size(); ++i) {
    const double edge = std::sqrt(sweep.pieces[i].to * sweep.pieces[i + 1].from);
    if (bytes <= edge) return sweep.pieces[i];
  }
  return sweep.pieces.back();
}

/// Parameters lie apart from each other in their intervals; what single times scatter is added.
double relative_error(const NetworkPiece& piece, double bytes, double time) {
  const double alpha = (piece.alpha.high - piece.alpha.low) / 2;
  const double beta = bytes * (piece.beta.high - piece.beta.low) / 2;
  return std::hypot(std::min(alpha, time) / time, std::min(beta, time) / time,
                    kTwoSided * piece.spread);
}

/// Nothing outside the sizes of the curve.
std::optional<double> curve_time(const NetworkCurve& curve, double bytes) {
  if (curve.bytes.size() < 2 || bytes < curve.bytes.front() || bytes > curve.bytes.back()) {
    return std::nullopt;
  }
  const auto above = std::upper_bound(curve.bytes.begin() + 1, curve.bytes.end() - 1, bytes);
  const auto i = static_cast<std::size_t>(above - curve.bytes.begin());
  const double n0 = curve.bytes[i - 1], n1 = curve.bytes[i];
  const double t0 = curve.seconds[i - 1], t1 = curve.seconds[i];
  const double straight = t0 + (t1 - t0) * (bytes - n0) / (n1 - n0);
  const auto log_size = [](double at) { return std::log(std::max(1.0, at)); };
  const double wide = log_size(n1) - log_size(n0);
  const double share = wide > 0 ? (log_size(bytes) - log_size(n0)) / wide : 0;
  return std::sqrt(straight * t0 * std::pow(t1 / t0, std::clamp(share, 0.0, 1.0)));
}

/// By the pieces alone, which single sizes disturb less.
Bounded piece_time(const NetworkSweep& sweep, double bytes, bool& beyond);

/// Likewise, with an interval that holds what was measured there.
Bounded holding_seen(const NetworkSweep& sweep, double bytes, bool& beyond) {
  Bounded time = piece_time(sweep, bytes, beyond);
  if (const auto seen = curve_time(sweep.curve, bytes)) {
    time.low = std::min(time.low, *seen);
    time.high = std::max(time.high, *seen);
  }
  return time;
}

Bounded around(double point, double relative) {
  return {point, point * std::exp(-relative), point * std::exp(relative)};
}

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

CollectiveCost beyond_seen(const Sweeps& sweeps, double bytes, double workers) {
  const NetworkSweep& nearest = workers > sweeps.back()->workers ? *sweeps.back() : *sweeps.front();
  CollectiveCost cost{.basis = CostBasis::kBeyond};
  cost.irregular = nearest.irregular;
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

/// Whether one node was measured at sizes as small as this one.
bool seen_on_one_node(const Network& network, const NetworkLevels& both, double bytes) {
  return std::none_of(network.sweeps.begin(), network.sweeps.end(), [&](const NetworkSweep& sweep) {
    return sweep.collective == both.collective && sweep.nodes == 1 &&
           sweep.workers == both.node_workers && bytes < sweep.pieces.front().from;
  });
}

/// The levels of a collective on full nodes of the size that `nearest` ran on.
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
  cost.irregular = nearest.irregular;
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
  cost.irregular = low.irregular || high.irregular;
  cost.from = fmt::format("between K = {} and {}", shortest(low.workers), shortest(high.workers));
  return cost;
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
    logs += std::log(time.point) / static_cast<double>(same.size());
    cost.seconds.low = std::min(cost.seconds.low, time.low);
    cost.seconds.high = std::max(cost.seconds.high, time.high);
    cost.irregular = cost.irregular || sweep->irregular;
  }
  cost.seconds.point = std::exp(logs);
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
    if (both != nullptr) return beyond_nodes(*both, *sweeps.back(), bytes, workers);
  }
  if (workers < sweeps.front()->workers || workers > sweeps.back()->workers) {
    return beyond_seen(sweeps, bytes, workers);
  }
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
  cost.irregular = sweep.irregular;
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

/// Between two sizes whose times fall, or grow faster than bytes do, something changes at a size
/// that nobody knows: the interval holds both.
Bounded holding_jump(const NetworkCurve& curve, double bytes, Bounded time) {
  const auto above = std::upper_bound(curve.bytes.begin(), curve.bytes.end(), bytes);
  if (above == curve.bytes.begin() || above == curve.bytes.end()) return time;
  const auto i = static_cast<std::size_t>(above - curve.bytes.begin());
  if (curve.bytes[i - 1] == bytes || !(curve.bytes[i - 1] > 0)) return time;
  const double t0 = curve.seconds[i - 1], t1 = curve.seconds[i];
  constexpr double kNoise = 1.1;
  const bool jumps = t1 / t0 > kNoise * curve.bytes[i] / curve.bytes[i - 1] || t0 > kNoise * t1;
  if (!jumps) return time;
  return {time.point, std::min({time.low, t0, t1}), std::max({time.high, t0, t1})};
}

}  // namespace

bool tells_rate(const NetworkCurve& curve) {
  const std::size_t count = curve.bytes.size();
  if (count < 2) return false;
  const double n0 = curve.bytes[count - 2], n1 = curve.bytes[count - 1];
  const double t0 = curve.seconds[count - 2], t1 = curve.seconds[count - 1];
  const double least = *std::min_element(curve.seconds.begin(), curve.seconds.end());
  return t1 >= 2 * least && (t1 - t0) / (n1 - n0) * n1 >= t1 / 2;
}

Bounded sweep_time(const NetworkSweep& sweep, double bytes, bool& beyond) {
  const Bounded fitted = piece_time(sweep, bytes, beyond);
  const auto seen = curve_time(sweep.curve, bytes);
  if (!seen) return fitted;
  const double factor = *seen / fitted.point;
  const Bounded scaled{*seen, fitted.low * factor, fitted.high * factor};
  return holding_jump(sweep.curve, bytes, scaled);
}

namespace {

/// Above the sizes seen the time goes on from the largest, where that is out of line: two sizes are
/// no piece of their own, and the line of the smaller ones may be over.
Bounded going_on(const NetworkSweep& sweep, const Bounded& by_line) {
  if (sweep.curve.bytes.empty()) return by_line;
  const NetworkPiece& last = sweep.pieces.back();
  const double line = last.alpha.point + last.beta.point * sweep.curve.bytes.back();
  const double off = line > 0 ? sweep.curve.seconds.back() / line : 1;
  if (!(off > 0) || std::abs(std::log(off)) <= kTwoSided * last.spread) return by_line;
  return {by_line.point * off, by_line.low * std::min(1.0, off), by_line.high * std::max(1.0, off)};
}

/// Below sizes that tell no latency a time is at most that of the smallest.
Bounded below_seen(const NetworkSweep& sweep, const Bounded& by_line) {
  const NetworkPiece& first = sweep.pieces.front();
  const double by_bytes = first.beta.point * first.from;
  if (first.alpha.low > 0 || first.alpha.point >= by_bytes) return by_line;
  const double smallest = first.alpha.point + by_bytes;
  return {smallest, by_line.low, std::max(by_line.high, smallest)};
}

Bounded piece_time(const NetworkSweep& sweep, double bytes, bool& beyond) {
  const NetworkPiece& piece = piece_at(sweep, bytes);
  const double time = piece.alpha.point + piece.beta.point * bytes;
  Bounded result = around(time, relative_error(piece, bytes, time));
  const double first = sweep.pieces.front().from, last = sweep.pieces.back().to;
  if (bytes >= first && bytes <= last) return result;
  beyond = true;
  if (bytes < first) return below_seen(sweep, result);
  const bool fitted = tells_bandwidth(sweep.pieces);
  if (!fitted && tells_rate(sweep.curve)) {
    const double rate = sweep.curve.bytes.back() / sweep.curve.seconds.back();
    return around(bytes / rate, kTwoSided * sweep.pieces.back().spread);
  }
  result = going_on(sweep, result);
  // Where latency still rules the largest size seen, nothing says what bandwidth there is.
  if (!fitted) result.high = kUnknown;
  return result;
}

/// Sizes far above those of a sweep that tells no bandwidth have no time.
bool says_nothing(const NetworkSweep& sweep, double bytes) {
  constexpr double kFar = 2;
  return bytes > kFar * sweep.pieces.back().to && !tells_bandwidth(sweep.pieces) &&
         !tells_rate(sweep.curve);
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

bool tells_bandwidth(std::span<const NetworkPiece> pieces) {
  if (pieces.empty()) return false;
  const NetworkPiece& last = pieces.back();
  return last.beta.low > 0 && last.beta.point * last.to >= last.alpha.point;
}

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
    cost.from += ", all on one node: at least this between nodes";
  }
  return cost;
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

}  // namespace kstar
