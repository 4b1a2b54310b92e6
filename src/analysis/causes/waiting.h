#pragma once

#include <optional>
#include <vector>

#include "analysis/causes/worker_times.h"
#include "kstar/estimate.h"

/// Waiting that the totals of the workers do not explain: nobody has that much to do in all, and
/// yet all wait. Either in every step, because one does something alone; or in some steps, because
/// another worker is late each time.
namespace kstar::causes {

/// Time in every step in which one worker at most is busy.
///
/// While one works alone all others are idle, in every run, whatever the noise: noise only adds
/// idle time. So the least that all others are ever idle is a bound on it. alone_share() tells it
/// from a worker that is merely slow.
struct SerialPart {
  Estimate seconds;           ///< a step, of a prompt step; the median over runs
  double least = 0;           ///< seconds per step: the least in any run
  std::optional<int> worker;  ///< who, where it shows
  bool unmarked = false;      ///< its time is in no phase
  std::size_t runs = 0;       ///< that it was looked for in
  bool steps_known = true;    ///< else it may as well be in some steps only
};

/// None where there is none beyond `least_share` of the time of a step at `workers`.
std::optional<SerialPart> serial_part(const std::vector<const WorkerTimes*>& runs, int workers,
                                      double least_share, double confidence);

/// Whether a worker that computes `seconds` longer a step does so apart from the others (1 or more)
/// or beside them (0). In a run where it ends with the others but for that time, everybody is idle
/// for so long if it is apart, and nobody if it is not. Where it always ends last: one that works
/// alone first waits, as everybody does, for the last of the common work, by as much as the longest
/// of the others is above their mean; one that is slow waits for nobody. None where the others are
/// too even to see either.
std::optional<double> alone_share(const std::vector<const WorkerTimes*>& runs, std::size_t place,
                                  double seconds);

/// Now one worker is late and now another: everybody waits in some steps, and the slowest of a run
/// is above the mean by more than chance makes it. A delay of one step is in one worker's total
/// and in everybody's waiting; so both are looked at together.
struct LateSteps {
  Estimate share;          ///< of the time at the K asked for, or over the larger K
  bool clear = false;      ///< more than negligible, at the confidence asked for
  bool pooled = false;     ///< over the larger K, because the one alone is too noisy
  double in_steps = 0;     ///< of share: waiting in some steps that no total explains
  double between = 0;      ///< of share: differences of totals beyond chance
  double stolen = 0;       ///< of the time: what the hypervisor may have taken; it is not in share
  double unexplained = 0;  ///< of the time: in_steps before that was taken out
  std::optional<double> alike;  ///< rank correlation of the steps of one run with those of another
  std::vector<int> slowest;     ///< of each run at the K asked for
};

/// `serial` seconds of each step are not looked at; `uneven` is what load balance takes of each run
/// beyond chance. Waiting is that of the one who waits least, less what the hypervisor can explain,
/// and no more than by how much steps differ.
LateSteps late_steps(const std::vector<const WorkerTimes*>& runs, int workers, double serial,
                     const std::vector<double>& uneven, double confidence);

}  // namespace kstar::causes
