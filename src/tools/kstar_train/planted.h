#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Causes of poor scaling, planted on purpose: what a diagnosis has to find.
namespace kstar::train {

struct Straggler {
  int worker = 0;     ///< -1: a random one each step; one that there is not is never late
  bool each = false;  ///< every worker for itself, whatever `worker` says
  double seconds = 0;
  double chance = 1;  ///< that it is late in a step
};

struct Planted {
  std::optional<Straggler> straggler;
  double imbalance = 0;           ///< I = largest share / mean share - 1
  double serial = 0;              ///< seconds per step on worker 0 alone
  double all_reduce_factor = 1;   ///< its time, multiplied; one worker alone has none
  double all_reduce_seconds = 0;  ///< added to it
  double stream_mib = 0;          ///< memory read and written a step
};

/// Twice the last cache, where the system tells, from 64 to 512 MiB.
double default_stream_mib();

/// The samples of each worker. Even shares differ by at most one. With an imbalance I worker 0 gets
/// 1 + I times the mean, rounded, as far as every other worker keeps a sample.
std::vector<std::int64_t> split_batch(std::int64_t batch, int workers, double imbalance);

/// Seconds that `worker` is late in `step`: the same for the same seed.
double planted_delay(const Planted& planted, std::uint64_t seed, int step, int worker, int workers);

/// Takes so much time.
void spend(double seconds);

/// Memory that does not fit into the cache, and a pass through it.
class Stream {
 public:
  Stream(double mib, double share);
  /// One read and one write of every word; gives a value so that nobody leaves it out.
  double pass();
  std::size_t words() const { return words_.size(); }

 private:
  std::vector<double> words_;
};

}  // namespace kstar::train
