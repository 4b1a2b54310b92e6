#include "laws/integer_search.h"

#include <algorithm>
#include <cmath>

#include "kstar/questions.h"

namespace kstar {

namespace {

double next_on_grid(double k) {
  constexpr double kEveryInteger = 1024;
  return k < kEveryInteger ? k + 1 : std::min(std::ceil(k * 1.01), kMostWorkers);
}

double middle(double low, double high) {
  return low + std::floor((high - low) / 2);
}

/// The smallest integer in (low, high] for which `holds`, given that it does not at low and does
/// at high.
double bisect(const std::function<bool(double)>& holds, double low, double high) {
  while (high - low > 1) {
    const double mid = middle(low, high);
    (holds(mid) ? high : low) = mid;
  }
  return high;
}

}  // namespace

double integer_minimum(const std::function<double(double)>& f) {
  double before = 1, best = 1, after = 1, best_value = f(1);
  double last = 1;
  bool improved = true;
  for (double k = 2; last < kMostWorkers; last = k, k = next_on_grid(k)) {
    if (improved) after = k;
    const double value = f(k);
    improved = value < best_value;
    if (!improved) continue;
    before = last;
    best = k;
    best_value = value;
    after = k;
  }
  if (after - before <= 2) return best;
  // Within two grid steps f falls, then rises: find the first integer after which it rises.
  return bisect([&](double k) { return f(k + 1) >= f(k); }, before, after);
}

std::optional<double> first_integer(const std::function<bool(double)>& holds, double from) {
  if (holds(from)) return from;
  double last = from;
  while (last < kMostWorkers) {
    const double k = next_on_grid(last);
    if (holds(k)) return bisect(holds, last, k);
    last = k;
  }
  return std::nullopt;
}

}  // namespace kstar
