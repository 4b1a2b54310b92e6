#include "roofline/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <limits>
#include <thread>

#include "roofline/caches.h"

namespace kstar::roofline {

namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double own_cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Waits without sleeping, so that all start within a microsecond; gives way where the machine has
/// fewer cores than threads.
void wait_for(const std::atomic<std::size_t>& arrived, std::size_t all) {
  constexpr int kSpins = 20000;
  for (int i = 0; arrived.load(std::memory_order_acquire) < all; ++i) {
    if (i > kSpins) std::this_thread::yield();
  }
}

}  // namespace

TeamTime run_team(std::span<const int> cpus, const std::function<void(std::size_t)>& prepare,
                  const std::function<void(std::size_t)>& work) {
  struct Times {
    double start = 0, end = 0, cpu = 0;
    bool bound = false;
  };
  std::vector<Times> times(cpus.size());
  std::atomic<std::size_t> arrived{0};
  const auto body = [&](std::size_t i) {
    times[i].bound = bind_to(cpus[i]);
    if (prepare) prepare(i);
    arrived.fetch_add(1, std::memory_order_acq_rel);
    wait_for(arrived, cpus.size());
    const double before = own_cpu_seconds();
    times[i].start = now_seconds();
    work(i);
    times[i].end = now_seconds();
    times[i].cpu = own_cpu_seconds() - before;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) threads.emplace_back(body, i);
  for (std::thread& one : threads) one.join();
  TeamTime total;
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (const Times& one : times) {
    first = std::min(first, one.start);
    last = std::max(last, one.end);
    total.wanted += one.end - one.start;
    total.waited += std::max(0.0, one.end - one.start - one.cpu);
    total.bound = total.bound && one.bound;
  }
  total.seconds = last - first;
  return total;
}

}  // namespace kstar::roofline
