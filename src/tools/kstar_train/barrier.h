#pragma once

#include <atomic>
#include <cstdint>

#include "tools/kstar_train/patience.h"

namespace kstar::train {

/// Nobody goes on before everybody has come.
class Barrier {
 public:
  explicit Barrier(int workers) : workers_(workers), patience_(workers) {}

  void arrive_and_wait() {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    patience_.wait(round_, [round](std::uint32_t now) { return now != round; });
  }

 private:
  const int workers_;
  const Patience patience_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace kstar::train
