#include "audit/recomputed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

/// 2%, as it is shown: what is 2.00% off is not off by more.
constexpr double kTolerance = 0.02005;

bool is_weak(const Evidence& evidence) {
  return evidence.claims_weak ||
         (evidence.analysis != nullptr && evidence.analysis->table.regime == Regime::kWeak);
}

bool all_follow(const Evidence& evidence) {
  return std::all_of(evidence.claims.begin(), evidence.claims.end(), [&](const FileClaim& claim) {
    const auto again = recompute(evidence, claim);
    return again && claim.efficiency && !claim.speedup && follows(claim, *again);
  });
}

/// The bases that people divide by the time of one row.
std::vector<double> bases_of_row(const Evidence& evidence, const Run& run) {
  std::vector<double> bases;
  if (const auto pair = evidence.claim_runs.base_of_block(run)) bases.push_back(*pair);
  if (!evidence.row_by_row) return bases;
  if (const auto pair = evidence.claim_runs.base_of_place(run)) bases.push_back(*pair);
  const Summary& times = evidence.base->times;
  bases.insert(bases.end(), {times.mean, times.median, times.min});
  return bases;
}

}  // namespace

double claimed_speedup(const FileClaim& claim, int base_workers) {
  if (claim.speedup) return *claim.speedup;
  return *claim.efficiency * claim.run->workers / base_workers;
}

std::optional<Recomputed> recompute(const Evidence& evidence, const FileClaim& claim) {
  const Run& run = *claim.run;
  const std::optional<double> time = steady_time(run);
  if (!time || !counts(run)) return {};
  if (claim.base)
    return Recomputed{.base_workers = claim.base->workers,
                      .means = claim.base->seconds / *time,
                      .medians = {},
                      .of_row = {},
                      .best = {},
                      .mean_ratios = {}};
  if (evidence.claimed_base)
    return Recomputed{.base_workers = 1,
                      .means = *evidence.claimed_base / *time,
                      .medians = {},
                      .of_row = {},
                      .best = {},
                      .mean_ratios = {}};
  if (evidence.analysis == nullptr || evidence.base == nullptr) return {};
  const ScalingPoint& base = *evidence.base;
  const ScalingPoint* at = point_at(evidence.analysis->table, run.role, run.workers);
  if (at == nullptr) return {};
  const double grown = growth_of_work(evidence, run.workers);
  Recomputed again{.base_workers = base.workers,
                   .means = grown * base.time.point / at->time.point,
                   .medians = grown * base.times.median / at->times.median,
                   .of_row = {},
                   .best = {},
                   .open = open_ratio(evidence, run.workers, true),
                   .mean_ratios = {}};
  for (const double seconds : bases_of_row(evidence, run)) {
    again.of_row.push_back(grown * seconds / *time);
  }
  if (at->times.n > 1 || base.times.n > 1) again.best = grown * base.times.mean / at->times.min;
  if (const auto mean = evidence.claim_runs.mean_ratio(run.workers))
    again.mean_ratios = grown * *mean;
  return again;
}

bool follows(const FileClaim& claim, double speedup, int base_workers, const OpenRatio& open) {
  const double claimed = claim.speedup ? *claim.speedup : *claim.efficiency;
  const double again =
      claim.speedup ? speedup : speedup * base_workers / static_cast<double>(claim.run->workers);
  if (std::fabs(claimed - again) <= kTolerance * again) return true;
  const double nearest = std::clamp(claimed, again * open.low, again * open.high);
  return std::fabs(claimed - nearest) <= rounding_of(claimed) * (1 + 1e-9);
}

bool follows(const FileClaim& claim, const Recomputed& again) {
  const auto does = [&](const std::optional<double>& speedup) {
    return speedup && follows(claim, *speedup, again.base_workers, again.open);
  };
  return does(again.means) || does(again.medians) ||
         std::any_of(again.of_row.begin(), again.of_row.end(), does);
}

void find_weak_claims(Evidence& evidence) {
  if (evidence.claims.empty() || evidence.base == nullptr || has_regime(evidence)) return;
  if (all_follow(evidence)) return;
  evidence.claims_weak = true;
  evidence.claims_weak = all_follow(evidence);
}

void find_claimed_base(Evidence& evidence) {
  constexpr std::size_t kEnough = 3;
  if (evidence.base == nullptr || evidence.claims.size() < kEnough) return;
  // Each claim leaves the base open by its digits; all of them must leave one value.
  double low = 0, high = INFINITY, sum = 0;
  for (const FileClaim& claim : evidence.claims) {
    const auto time = steady_time(*claim.run);
    if (!time || claim.base || claim.run->role != Role::kParallel) return;
    const double speedup = claimed_speedup(claim, 1);
    const double said = claim.speedup ? *claim.speedup : *claim.efficiency;
    const double open = std::max(rounding_of(said) / said, kTolerance / 2);
    const auto digits = evidence.open.find(claim.run->workers);
    const double of_time = digits == evidence.open.end() ? 0 : digits->second.share;
    low = std::max(low, speedup * *time * (1 - open) * (1 - of_time));
    high = std::min(high, speedup * *time * (1 + open) * (1 + of_time));
    sum += speedup * *time;
  }
  const double base = sum / static_cast<double>(evidence.claims.size());
  // Without T(1) the base is one that makes the first K no more than linear; just linear is what
  // a claimant assumes.
  const double first = evidence.base->time.point * evidence.base->workers;
  const bool relative =
      evidence.base->workers > 1 && std::fabs(base / evidence.base->time.point - 1) <= kTolerance;
  if (low <= high && base < (1 - kTolerance) * first && !relative) evidence.claimed_base = base;
}

double growth_of_work(const Evidence& evidence, int workers) {
  return is_weak(evidence) ? static_cast<double>(workers) / evidence.base->workers : 1;
}

std::optional<std::string> claimed_from_best(const Evidence& evidence, const FileClaim& claim) {
  constexpr double kSame = 0.005;
  if (evidence.row_by_row) return {};  // a claim beside the shortest run is that run's own
  const auto again = recompute(evidence, claim);
  if (!again || !again->best || follows(claim, *again)) return {};
  const double claimed = claimed_speedup(claim, again->base_workers);
  const bool from_best =
      std::fabs(claimed / *again->best - 1) <= kSame && *again->best > again->means;
  if (!from_best) return {};
  return fmt::format("{}: {}x is based on the shortest run; the mean gives {}x", place_of(claim),
                     significant(claimed, 4), significant(again->means, 4));
}

std::string place_of(const FileClaim& claim) {
  return claim.line ? fmt::format("line {}, K = {}", *claim.line, claim.run->workers)
                    : fmt::format("K = {}", claim.run->workers);
}

}  // namespace kstar
