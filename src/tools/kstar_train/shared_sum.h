#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/kstar_train/barrier.h"

namespace kstar::train {

/// Sums an array over all workers and leaves the sum with each of them. Each array is cut into K
/// pieces; a worker adds up its piece of all arrays, in the workers' order, and copies the other
/// pieces from those who added them: every worker gets the same bits. In shared memory the workers
/// meet three times for it, where a ring makes each wait for its neighbour 2 (K-1) times; the waits
/// are what costs.
class SharedSum {
 public:
  explicit SharedSum(int workers) : barrier_(workers), arrays_(static_cast<std::size_t>(workers)) {}

  /// Every worker calls it, each with its own number and array, all of one size. The arrays may
  /// change again as soon as it returns.
  void sum(int worker, std::span<double> values);

 private:
  std::span<double> piece(std::size_t of, std::size_t number) const;

  Barrier barrier_;
  std::vector<std::span<double>> arrays_;
};

}  // namespace kstar::train
