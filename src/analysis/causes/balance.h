#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/causes/worker_times.h"
#include "kstar/estimate.h"

/// Why the workers of a run do not end at the same time: one has more work, one is slower at the
/// same work in every run, or another one each time.
namespace kstar::causes {

/// How useful time follows work done, over all runs: log useful = ... + slope log work. 1 where
/// work explains time, 0 where it does not.
struct WorkSlope {
  bool known = false;  ///< work is recorded, and differs between workers
  Estimate slope;
};
WorkSlope work_slope(const std::vector<const WorkerTimes*>& runs, double confidence);

/// The useful times of a run with the differences taken out that its work explains.
std::vector<double> at_same_work(const WorkerTimes& run, const WorkSlope& work);

/// A worker, or all workers of a host, that takes longer than the others for the same work.
struct SlowOne {
  std::optional<int> worker;
  std::string host;
  double z = 0;            ///< standard errors above the others
  bool certain = false;    ///< beyond chance, for as many candidates as there were
  bool constant = false;   ///< late by the same time at every K, not by the same share
  bool told = false;       ///< several K tell which of the two it is
  bool elsewhere = false;  ///< there are other hosts
  bool alone = false;      ///< it may as well do something alone: nothing tells the two apart
  Estimate share;          ///< how much longer it takes at the K asked for: 0.2 is a fifth more
  double seconds = 0;      ///< the same in seconds per step
  std::size_t runs = 0;    ///< that it was in, with others
  std::size_t slower = 0;  ///< of them, those where it was slower than half of the others
};

/// The one that stands out most; none where no run has two workers. `workers` is the K that
/// `share` is about.
std::optional<SlowOne> slow_one(const std::vector<const WorkerTimes*>& runs, const WorkSlope& work,
                                int workers, double confidence);

/// What it leaves of efficiency.
Estimate slow_factor(const SlowOne& slow);

/// Whether the place of a run belongs to the slow one.
bool is_slow(const SlowOne& slow, const WorkerTimes& run, std::size_t place);

/// mean / longest work: the load balance that the work alone would give.
double work_balance_of(const WorkerTimes& run);

/// What is left of load balance when work and the slow one are taken out.
double rest_balance_of(const WorkerTimes& run, const WorkSlope& work,
                       const std::optional<SlowOne>& slow);

/// How much one worker's speed differs from run to run, or between the workers of a run, at the
/// base; as a standard deviation of logarithms.
struct SpeedNoise {
  double deviation = 0;
  double degrees = 0;  ///< 0: not known
};
SpeedNoise speed_noise(const std::vector<WorkerTimes>& base, std::optional<Regime> regime);

/// The load balance of workers whose speeds differ by chance, by as much as the base does.
double balance_of_chance(const SpeedNoise& noise, std::size_t workers, double confidence);

}  // namespace kstar::causes
