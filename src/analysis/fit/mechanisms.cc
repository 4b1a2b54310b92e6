#include "analysis/fit/mechanisms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace kstar::curves {

namespace {

/// Below this share of the time nobody would act.
constexpr double kNoLoss = 0.03;
/// Of the loss: what a growing part must take to be the one that is named. From the first set of
/// bench_causes_shape; its second set says what it is worth.
constexpr double kGrowingShare = 0.2;
/// A power of K that falls as slowly as this is as good as a constant.
constexpr double kAsConstant = 0.2;

using Losses = std::array<double, kMostParts>;

/// What each part takes of the time at the largest K beyond an ideal program's, which starts from
/// the same time at the smallest.
Losses losses_of(const Form& form, const FormShape& shape, const Range& range) {
  const bool grows = form.parts[0] == TermKind::kConstant;  // the work, with K
  const double ideal = grows ? 1 : range.smallest.workers / range.largest.workers;
  Losses losses{};
  for (std::size_t i = 0; i < form.count; ++i) {
    const double here = part_at(form, i, range.largest, range.smallest, shape.exponent);
    const double base = part_at(form, i, range.smallest, range.smallest, shape.exponent);
    losses[i] = shape.share[i] * (1 - base * ideal / here);
  }
  return losses;
}

double limit_loss(const Form& form, const FormShape& shape, const Range& range) {
  const double rise = std::exp(log_time(form, shape, range.smallest, range));
  return 1 - rise * range.smallest.workers / range.largest.workers;
}

Mechanism mechanism_of(TermKind part, double exponent) {
  switch (part) {
    case TermKind::kConstant:
      return Mechanism::kConstant;
    case TermKind::kCommunication:
    case TermKind::kGrowing:
      return Mechanism::kGrowing;
    case TermKind::kShrinking:
      return exponent < kAsConstant ? Mechanism::kConstant : Mechanism::kShare;
    case TermKind::kSurface:
      return Mechanism::kShare;
    case TermKind::kWaiting:
      return Mechanism::kWaiting;
    case TermKind::kSaturating:
      return Mechanism::kFilling;
    case TermKind::kDivided:
      break;
  }
  return Mechanism::kNone;
}

Mechanism mechanism_of(const Form& form, const FormShape& shape, const Range& range) {
  if (form.limit) {
    return limit_loss(form, shape, range) < kNoLoss ? Mechanism::kNone : Mechanism::kLimit;
  }
  const Losses losses = losses_of(form, shape, range);
  double whole = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < form.count; ++i) {
    whole += losses[i];
    if (losses[i] > losses[largest]) largest = i;
  }
  if (whole < kNoLoss) return Mechanism::kNone;
  for (std::size_t i = 0; i < form.count; ++i) {
    const Mechanism one = mechanism_of(form.parts[i], shape.exponent);
    if (one == Mechanism::kGrowing && losses[i] >= kGrowingShare * whole) return one;
  }
  return mechanism_of(form.parts[largest], shape.exponent);
}

}  // namespace

std::vector<MechanismChance> mechanism_chances(const Posterior& posterior) {
  std::map<Mechanism, double> chances;
  for (const Node& node : posterior.nodes) {
    const Candidate& candidate = posterior.candidates[node.candidate];
    chances[mechanism_of(*candidate.form, candidate.shape, posterior.range)] += node.weight;
  }
  std::vector<MechanismChance> sorted;
  for (const auto& [mechanism, chance] : chances) sorted.push_back({mechanism, chance});
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const MechanismChance& a, const MechanismChance& b) { return a.chance > b.chance; });
  return sorted;
}

}  // namespace kstar::curves
