#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "kstar/examine.h"
#include "kstar/network_cost.h"

namespace kstar {

namespace {

/// Seconds per step of moving data at the largest K that knows it.
struct SpentTime {
  double workers = 0;
  double seconds = 0;
  bool waits = false;  ///< waiting is in it: it was not recorded apart
};

std::optional<SpentTime> communication_spent(const Analysis& analysis) {
  for (const PhaseScaling& phase : analysis.phases.phases) {
    if (phase.name != "transfer" || phase.points.empty()) continue;
    const PhasePoint& last = phase.points.back();
    return SpentTime{static_cast<double>(last.workers), last.time.point, false};
  }
  const auto& factors = analysis.diagnosis.factors;
  if (factors.empty()) return std::nullopt;
  const FactorPoint& last = factors.back();
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.workers != last.workers || point.role != Role::kParallel) continue;
    const double share = 1 - (last.transfer ? *last.transfer : last.communication).point;
    return SpentTime{static_cast<double>(last.workers), std::max(0.0, share) * point.time.point,
                     !last.transfer};
  }
  return std::nullopt;
}

NetworkRole role_of(const SpentTime& spent, const Bounded& expected) {
  constexpr double kApart = 100;  // such ends say nothing of what is between them
  if (spent.seconds > expected.high) return NetworkRole::kNotNetwork;
  if (spent.seconds < expected.low) return NetworkRole::kLess;
  return expected.high > kApart * expected.low ? NetworkRole::kNotKnown : NetworkRole::kNetwork;
}

}  // namespace

Result<NetworkVerdict> against_network(const Analysis& analysis, const Network& network,
                                       Collective collective, double bytes) {
  const std::optional<SpentTime> spent = communication_spent(analysis);
  if (!spent) {
    return fail({.where = "--network",
                 .message = "the study does not say what communication takes",
                 .hint = "measure with --inside, or mark communication (kstar/mark.h)"});
  }
  KSTAR_TRY(const CollectiveCost cost, collective_cost(network, collective, bytes, spent->workers));
  NetworkVerdict verdict{.role = role_of(*spent, cost.seconds),
                         .workers = spent->workers,
                         .spent = spent->seconds,
                         .waits = spent->waits,
                         .expected = {},
                         .collective = std::string(name_of(collective)),
                         .bytes = bytes,
                         .from = evidence_text(cost)};
  verdict.expected.point = cost.seconds.point;
  verdict.expected.low = cost.seconds.low;
  verdict.expected.high = cost.seconds.high;
  return verdict;
}

}  // namespace kstar
