#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace kstar::train {

/// How a worker waits for another. Where each has a core it stays awake for a while, about a
/// millisecond, because waking up costs as much as a tenth of that; then it sleeps. Where there are
/// more workers than cores it sleeps at once: the other needs the core.
class Patience {
 public:
  explicit Patience(int workers)
      : looks_(static_cast<unsigned>(workers) <= std::thread::hardware_concurrency() ? 20000 : 0) {}

  /// Returns when `done` likes the value; whoever changes it notifies.
  template <typename Value, typename Done>
  void wait(const std::atomic<Value>& place, Done done) const {
    for (int i = 0; i < looks_; ++i) {
      if (done(place.load(std::memory_order_acquire))) return;
      pause();
    }
    for (Value now = place.load(std::memory_order_acquire); !done(now);
         now = place.load(std::memory_order_acquire)) {
      place.wait(now, std::memory_order_acquire);
    }
  }

 private:
  /// Leaves a core's other hardware thread more of it.
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const int looks_;
};

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
