#include "tools/kstar_train/planted.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace kstar::train {

namespace {

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Uniform on [0, 1) for this seed, step and purpose.
double chance_of(std::uint64_t seed, int step, std::uint64_t purpose) {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(step)) ^ purpose);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace

double default_stream_mib() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  const double cache = static_cast<double>(::sysconf(_SC_LEVEL3_CACHE_SIZE)) / 1048576;
#else
  const double cache = 0;
#endif
  return std::clamp(2 * cache, 64.0, 512.0);
}

std::vector<std::int64_t> split_batch(std::int64_t batch, int workers, double imbalance) {
  const auto spread = [](std::int64_t total, std::int64_t among, std::int64_t place) {
    return total / among + (place < total % among ? 1 : 0);
  };
  const bool uneven = imbalance > 0 && workers > 1;
  std::int64_t first = spread(batch, workers, 0);
  if (uneven) {
    const double wanted = static_cast<double>(batch) / workers * (1 + imbalance);
    const auto most = static_cast<double>(batch - (workers - 1));
    first = std::llround(std::clamp(wanted, 1.0, most));
  }
  std::vector<std::int64_t> shares = {first};
  for (int i = 1; i < workers; ++i) {
    shares.push_back(uneven ? spread(batch - first, workers - 1, i - 1)
                            : spread(batch, workers, i));
  }
  return shares;
}

double planted_delay(const Planted& planted, std::uint64_t seed, int step, int worker,
                     int workers) {
  if (!planted.straggler) return 0;
  const Straggler& straggler = *planted.straggler;
  if (straggler.each) {
    const auto purpose = 3 + static_cast<std::uint64_t>(worker);
    return chance_of(seed, step, purpose) < straggler.chance ? straggler.seconds : 0;
  }
  const int late = straggler.worker >= 0 ? straggler.worker
                                         : static_cast<int>(chance_of(seed, step, 1) * workers);
  return worker == late && chance_of(seed, step, 2) < straggler.chance ? straggler.seconds : 0;
}

void spend(double seconds) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

Stream::Stream(double mib, double share)
    : words_(static_cast<std::size_t>(mib * 1048576 / sizeof(double) * share), 1.0) {}

double Stream::pass() {
  for (double& word : words_) word = word * 0.5 + 0.5;
  return words_.empty() ? 0 : words_.back();
}

}  // namespace kstar::train
