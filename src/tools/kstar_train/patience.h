#pragma once

#include <atomic>
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

}  // namespace kstar::train
