#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/try.h"
#include "kstar/stats.h"

// e = (1/S - 1/K) / (1 - 1/K). Karp and Flatt, Measuring parallel processor performance,
// Communications of the ACM 33 (1990). It falls with S, so the ends of an interval change places.
namespace kstar {

namespace {

double serial_fraction(double speedup, double workers) {
  return (1 / speedup - 1 / workers) / (1 - 1 / workers);
}

Result<void> check(double speedup, double workers) {
  if (!(std::isfinite(workers) && workers > 1)) {
    return fail(expected("workers", "more than one worker", shortest(workers),
                         "one worker has no serial fraction: nothing runs in parallel"));
  }
  if (!(std::isfinite(speedup) && speedup > 0)) {
    return fail(expected("speedup", "a number above zero", shortest(speedup)));
  }
  return {};
}

}  // namespace

Result<double> karp_flatt(double speedup, double workers) {
  KSTAR_CHECK(check(speedup, workers));
  return serial_fraction(speedup, workers);
}

Result<Estimate> karp_flatt(const Estimate& speedup, double workers) {
  KSTAR_CHECK(check(speedup.point, workers));
  Estimate result = speedup;
  result.point = serial_fraction(speedup.point, workers);
  // The delta method: |de/dS| = 1 / (S^2 (1 - 1/K)).
  result.standard_error =
      speedup.standard_error / speedup.point / speedup.point / (1 - 1 / workers);
  // Everything is possible, so everything stays possible.
  if (std::isinf(speedup.low) && std::isinf(speedup.high)) return result;
  result.low = serial_fraction(speedup.high, workers);
  result.high = speedup.low > 0 ? serial_fraction(speedup.low, workers)
                                : std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace kstar
