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
  std::size_t min_runs = 10;

  /// At all K together, before the first K is precise. Sixty runs have seen what happens to one run
  /// in twenty with 95% probability; with fewer, rare slow runs stay unseen. Six K have as many
  /// with ten runs each, three with twenty, and one K alone needs them all.
  std::size_t study_runs = 60;

  std::size_t max_runs = 100;  ///< at every K; not below min_runs
};

/// On one K, after a round.
struct Verdict {
  bool done = false;               ///< precise, or max_runs made
  bool precise = false;            ///< as narrow as asked, after at least min_runs and study_runs
  Estimate estimate;               ///< the mean, by IntervalMethod::kPooled
  double relative_half_width = 0;  ///< infinite where no interval exists

  /// How many runs this K will have had in the end, by what is known now: for the time left.
  std::size_t runs_expected = 0;
};

/// The verdict on the K that `samples` belong to. A K that was done may need more runs later, when
/// the other K have shown more noise: judge every K after every round, and stop when all are done.
KSTAR_EXPORT Result<Verdict> judge(std::span<const double> samples, const NoisePool& pool,
                                   const StoppingRule& rule = {});

/// pool_noise and a verdict on each group. A group without samples is not done.
KSTAR_EXPORT Result<std::vector<Verdict>> judge_all(std::span<const std::vector<double>> groups,
                                                    const StoppingRule& rule = {});

}  // namespace kstar
