#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/noise_pool.h"
#include "kstar/result.h"

/// When a K has been run often enough. The promise: whenever measuring stops, the interval it
/// stopped at holds the true mean with the confidence, although the runs are correlated and the
/// rule looked after every round. docs/statistics.md has what it really holds and costs.
namespace kstar {

struct StoppingRule {
  /// Of the interval: half its width over the mean. Above zero.
  double precision = 0.02;

  double confidence = kConfidence;  ///< strictly between 0 and 1

  /// At every K, before the first judgement; at least 2.
  std::size_t min_runs = 3;

  std::size_t max_runs = 100;  ///< at every K; not below min_runs
};

/// So many runs at all K together have seen what happens to one run in twenty, with 95%
/// probability. Of fewer, the interval is wider by unseen_slowdown().
inline constexpr std::size_t kStudyRuns = 60;

/// By how much slow runs that did not happen yet may raise the mean, as a share of it: with `runs`
/// runs at all K together, an event in a share p of the runs was not seen with a probability of
/// (1 - p)^runs; p where that is 5%, times a run that is 30% slower. Zero from kStudyRuns on.
KSTAR_EXPORT double unseen_slowdown(std::size_t runs);

/// The fewest runs at all K together after which a precision can be reached, however quiet the
/// machine is.
KSTAR_EXPORT std::size_t fewest_study_runs(double precision);

/// On one K, after a round.
struct RunPrecision {
  bool done = false;               ///< precise, or max_runs made
  bool precise = false;            ///< as narrow as asked, after at least min_runs
  Estimate estimate;               ///< the mean, by IntervalMethod::kPooled
  double relative_half_width = 0;  ///< infinite where no interval exists

  /// How many runs this K will have had in the end, by what is known now: for the time left.
  std::size_t runs_expected = 0;

  /// The half-width after max_runs, by what is known now; infinite where no interval exists.
  double half_width_at_most = 0;
};

/// The verdict on the K that `samples` belong to. A K that was done may need more runs later, when
/// the other K have shown more noise: judge every K after every round, and stop when all are done.
KSTAR_EXPORT Result<RunPrecision> judge(std::span<const double> samples, const NoisePool& pool,
                                        const StoppingRule& rule = {});

/// The estimate that a verdict has, of a study that kstar itself ended: estimate_pooled_mean(),
/// wider by unseen_slowdown().
KSTAR_EXPORT Result<Estimate> estimate_judged_mean(std::span<const double> samples,
                                                   const NoisePool& pool,
                                                   double confidence = kConfidence,
                                                   Scope scope = Scope::kOneSession);

/// pool_noise and a verdict on each group. A group without samples is not done.
KSTAR_EXPORT Result<std::vector<RunPrecision>> judge_all(
    std::span<const std::vector<double>> groups, const StoppingRule& rule = {});

}  // namespace kstar
