#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/kstar_train/patience.h"

namespace kstar::train {

/// Sums an array over all workers and leaves the sum with each of them: the ring algorithm
/// (Patarasuk and Yuan 2009) in shared memory. Each array is cut into K pieces. For K - 1 rounds a
/// worker adds a piece of its left neighbour to its own, after which it has one whole sum; for
/// another K - 1 rounds it copies a finished piece from the left. 2 (K-1)/K of the array moves, and
/// every worker gets the same bits: piece by piece the order of the sum is fixed.
class RingAllReduce {
 public:
  explicit RingAllReduce(int workers)
      : workers_(workers), patience_(workers), seats_(static_cast<std::size_t>(workers)) {}

  /// Every worker calls it, each with its own number and array, all of one size. The arrays may
  /// change again as soon as it returns.
  void sum(int worker, std::span<double> values);

 private:
  /// One worker's place, on a cache line of its own.
  struct alignas(64) Seat {
    std::span<double> values;
    std::atomic<std::uint64_t> rounds = 0;  // done, since the start
  };

  Seat& seat(int worker) {
    return seats_[static_cast<std::size_t>((worker + workers_) % workers_)];
  }
  std::span<double> piece(const Seat& seat, int number) const;
  void wait_for(const Seat& seat, std::uint64_t rounds) const;
  static void finish_round(Seat& seat);

  const int workers_;
  const Patience patience_;
  std::vector<Seat> seats_;
};

}  // namespace kstar::train
