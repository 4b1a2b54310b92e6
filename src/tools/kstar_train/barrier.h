#pragma once

#include <atomic>
#include <cstdint>

namespace kstar::train {

/// Nobody goes on before everybody has come. Those who wait sleep: there may be more workers than
/// cores.
class Barrier {
 public:
  explicit Barrier(int workers) : workers_(workers) {}

  void arrive_and_wait() {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  const int workers_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace kstar::train
