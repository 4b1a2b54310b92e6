#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/evidence.h"

/// A file's own claims, computed again from the times beside them.
namespace kstar {

/// The speedup that a claim says; an efficiency of E is one of E K over the base's K.
double claimed_speedup(const FileClaim& claim, int base_workers);

/// S from the times beside the claim, in the ways that people take it; absent where those times are
/// not there.
struct Recomputed {
  int base_workers = 1;
  double means = 1;                   ///< of mean times: what a speedup is
  std::optional<double> medians;      ///< of median times
  std::vector<double> of_row;         ///< of this run: against its own base run, or all of them
  std::optional<double> best;         ///< of the shortest times, with repeats
  OpenRatio open{};                   ///< what the digits of the times leave
  std::optional<double> mean_ratios;  ///< the arithmetic mean of ratios, or of rates
};
std::optional<Recomputed> recompute(const Evidence& evidence, const FileClaim& claim);

/// How far a claim may be from its times: 2%, or what its digits leave open, besides what those of
/// the times do.
bool follows(const FileClaim& claim, double speedup, int base_workers, const OpenRatio& open = {});

/// Whether the claim follows from the times as speedups are taken.
bool follows(const FileClaim& claim, const Recomputed& again);

/// Finds whether the efficiencies of a file that does not say its regime follow as those of weak
/// scaling alone.
void find_weak_claims(Evidence& evidence);

/// Finds the base of speedups that are relative to a faster single-worker program, or to one that
/// the table does not have: one on which all of them agree.
void find_claimed_base(Evidence& evidence);

/// How much more work a speedup at this K counts: K over the base's where the work grows.
double growth_of_work(const Evidence& evidence, int workers);

/// Why the claim is one of the best runs; none where it is not.
std::optional<std::string> claimed_from_best(const Evidence& evidence, const FileClaim& claim);

/// "line 12, K = 8".
std::string place_of(const FileClaim& claim);

}  // namespace kstar
