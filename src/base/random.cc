#include "base/random.h"

#include <cmath>
#include <limits>

namespace kstar {

namespace {

/// The natural logarithm of a positive normal number, to about one unit in the last place:
///   x = m 2^e, m in [sqrt(1/2), sqrt(2));  ln x = e ln 2 + 2 artanh z,  z = (m - 1) / (m + 1).
/// std::log may differ in its last bit between C libraries, and one bit makes another run.
double portable_log(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  constexpr double kSqrtHalf = 0.707106781186547524401;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double z = (mantissa - 1) / (mantissa + 1);
  double series = 0;
  for (int odd = 23; odd >= 1; odd -= 2) series = series * (z * z) + 1.0 / odd;
  return exponent * kLn2 + 2 * z * series;
}

}  // namespace

double Random::uniform() {
  return static_cast<double>(bits() >> 11U) * 0x1p-53;
}

double Random::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  // Rounding can land on the open end.
  return value < high ? value : low;
}

// The polar method. Marsaglia and Bray, A convenient method for generating normal variables,
// SIAM Review 6 (1964).
double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0, v = 0, square = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * portable_log(square) / square);
  spare_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

std::uint64_t Random::below(std::uint64_t count) {
  if (count == 0) return 0;
  // The largest multiple of `count` that fits; what lies above would favour small remainders.
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - kMax % count;
  std::uint64_t value = bits();
  while (value >= limit) value = bits();
  return value % count;
}

}  // namespace kstar
