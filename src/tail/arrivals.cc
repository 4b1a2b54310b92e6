#include <cmath>

#include "base/random.h"
#include "kstar/latency.h"

namespace kstar {

std::vector<double> arrival_times(double rate, bool poisson, std::uint64_t seed,
                                  std::size_t count) {
  std::vector<double> times;
  times.reserve(count);
  Random random(seed);
  double now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(poisson ? now : static_cast<double>(i) / rate);
    if (poisson) now -= std::log1p(-random.uniform()) / rate;
  }
  return times;
}

}  // namespace kstar
