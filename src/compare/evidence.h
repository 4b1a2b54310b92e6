#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/side.h"
#include "kstar/compare.h"

/// What a ratio and its error prove, when several are looked at.
namespace kstar::comparing {

/// The chance of a ratio as far from 1 when it really is 1. NaN without an interval.
double chance_of(const Estimate& ratio);

/// Fills `adjusted_p` of changes that were looked at together.
///
/// Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
/// Statistics 6 (1979): with p_(1) <= p_(2) <= ... of m,
///   adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)).
/// It bounds the probability of even one false alarm, however the K depend on each other, and they
/// do: the conditions of a session affect all of them. Benjamini and Hochberg bound the share of
/// alarms that are false, which does not help if one false alarm stops a build. A change without p
/// is not counted.
void adjust(std::span<RatioChange* const> changes);

/// Whether the ratio is not 1, after the correction.
bool is_evident(const RatioChange& change, double confidence);

/// The interval lies inside 1 / (1 + smallest) to 1 + smallest.
bool is_settled(const Estimate& ratio, double smallest);

struct RunsAsked {
  double smallest = 0.05;
  double confidence = kConfidence;
  std::size_t compared = 1;  ///< how many K were looked at
  std::size_t runs_before = 1;
  std::size_t runs_after = 1;
};

/// WorkersChange::more_runs. With v the variance of log ratio at n runs a side, which n' runs make
/// v n / n', the least n' with
///   (t + 0.84) sqrt(v n / n') <= log(1 + d),
/// t of Student at 1 - (1 - confidence) / compared, and 0.84 for a chance of 4 in 5.
std::optional<std::size_t> more_runs(const Estimate& ratio, const RunsAsked& asked);

/// What changed at every K, with its verdict. Fails where the times make no ratio.
Result<std::vector<WorkersChange>> changes_at_all(const Side& before, const Side& after,
                                                  const CompareOptions& options);

}  // namespace kstar::comparing
