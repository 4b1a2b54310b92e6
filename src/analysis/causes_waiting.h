#pragma once

#include <optional>
#include <vector>

#include "analysis/worker_times.h"
#include "kstar/estimate.h"

/// Waiting that the totals of the workers do not explain: nobody has that much to do in all, and
/// yet all wait. Either in every step, because one does something alone; or in some steps, because
/// another worker is late each time.
namespace kstar::causes {

/// Below this share of efficiency nobody would act: what is named takes more, at the confidence
/// asked for.
inline constexpr double kNegligible = 0.03;

/// One run has no interval; what it shows must be plain.
inline constexpr double kPlain = 0.10;

/// Rank correlation of steps from which on they are slow in the same places of every run: chance
/// makes 0.3 of three runs with ten steps.
inline constexpr double kAlike = 0.5;

/// Time in every step in which one worker at most is busy.
///
/// While one works alone all others are idle, in every run, whatever the noise: noise only adds
/// idle time. So the least that all others are ever idle is a bound on it. A worker that is merely
/// slow works beside the others, and in a run where another one happens to be as slow nobody idles
/// for it; `alone` tells the two apart.
struct SerialPart {
  Estimate seconds;           ///< a step, of a prompt step; the median over runs
  double least = 0;           ///< seconds a step: the least in any run
  double alone = 0;           ///< 1: apart from the others' work; 0: beside it
  std::optional<int> worker;  ///< who, where it shows
  bool unmarked = false;      ///< its time is in no phase
  std::size_t runs = 0;       ///< that it was looked for in
  bool steps_known = true;    ///< else it may as well be in some steps only
};

/// None where there is none beyond `least_share` of the time of a step at `workers`.
std::optional<SerialPart> serial_part(const std::vector<const WorkerTimes*>& runs, int workers,
                                      double least_share, double confidence);

/// Shares of time that all wait in some steps only: the waiting of the one who waits least, less
/// what the hypervisor can explain, and no more than by how much steps differ.
struct LateSteps {
  Estimate share;               ///< at the K asked for, or over `runs` where that one is too noisy
  bool clear = false;           ///< more than negligible, at the confidence asked for
  bool pooled = false;          ///< over the larger K
  double stolen = 0;            ///< the share that the hypervisor may have taken, mean over runs
  double unexplained = 0;       ///< the waiting before that is taken out
  std::optional<double> alike;  ///< rank correlation of the steps of one run with those of another
  std::vector<int> slowest;     ///< of each run at the K asked for
};
/// `serial` seconds of each step are not looked at.
LateSteps late_steps(const std::vector<const WorkerTimes*>& runs, int workers, double serial,
                     double confidence);

}  // namespace kstar::causes
