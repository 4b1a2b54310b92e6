#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "kstar/latency.h"

/// Queues whose percentiles are known.
namespace kstar::test {

inline double exponential(Random& random) {
  return -std::log1p(-random.uniform());
}

/// Times in an M/M/1 queue with mu = 1, in its steady state: p is -log(1-p) / (1 - load). `starts`
/// gets when each request came.
inline std::vector<double> mm1_times(double load, std::size_t count, std::uint64_t seed,
                                     std::vector<double>* starts = nullptr) {
  Random random(seed);
  double wait = random.uniform() < load ? exponential(random) / (1 - load) : 0, now = 0;
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    const double time = wait + exponential(random);
    const double gap = exponential(random) / load;
    times.push_back(time);
    if (starts != nullptr) starts->push_back(now);
    now += gap;
    wait = std::max(0.0, time - gap);
  }
  return times;
}

inline LatencySet mm1_requests(double load, std::size_t count, std::uint64_t seed) {
  LatencySet set;
  set.name = "mm1";
  set.samples = mm1_times(load, count, seed, &set.starts);
  set.count = count;
  return set;
}

}  // namespace kstar::test
