#include "plan/interrupted.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kstar::planning {

namespace {

double drawn_gap(double between, Random& random) {
  return -between * std::log1p(-random.uniform());
}

/// A restart may be interrupted as well.
double drawn_restart(double restart, double between, Random& random) {
  double elapsed = 0;
  for (double gap = drawn_gap(between, random); gap < restart; gap = drawn_gap(between, random)) {
    elapsed += gap;
  }
  return elapsed + restart;
}

/// Of `left` seconds in segments, each of which a checkpoint ends.
double drawn_run(const Interruptions& given, double left, double segment, double between,
                 Random& random) {
  double elapsed = 0;
  while (true) {
    const double written = segment < left ? given.checkpoint : 0;
    const double needed = left + std::floor(left / segment) * written;
    const double gap = drawn_gap(between, random);
    if (gap >= needed) return elapsed + needed;
    left -= std::floor(gap / (segment + written)) * segment;
    elapsed += gap + drawn_restart(given.restart, between, random);
  }
}

}  // namespace

double drawn_time(const Interruptions& interruptions, double time, double workers, Random& random) {
  const double expected = expected_time(interruptions, time, workers);
  if (interruptions.every <= 0 || !std::isfinite(expected)) return expected;
  const double between = interruptions.every / workers, count = expected / between;
  constexpr double kMany = 200;  // by then the sum is normal, and spreads no more than this
  if (count > kMany) return expected * std::max(0.0, 1 + random.normal() / std::sqrt(count));
  const double segment = interruptions.checkpoint > 0
                             ? std::min(time, daly_interval(interruptions.checkpoint, between))
                             : time;
  return drawn_run(interruptions, time, segment, between, random);
}

double undisturbed_time(const Interruptions& interruptions, double elapsed, double workers) {
  if (interruptions.every <= 0) return elapsed;
  double low = 0, high = elapsed;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (expected_time(interruptions, middle, workers) <= elapsed ? low : high) = middle;
  }
  return low;
}

}  // namespace kstar::planning
