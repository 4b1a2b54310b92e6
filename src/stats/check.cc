#include "stats/check.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar::stats {

namespace {
// Squares, their sums and products of two means still fit a double.
constexpr double kLargest = 1e100;
}  // namespace

Result<void> check_samples(std::string_view where, std::span<const double> samples) {
  if (samples.empty()) return fail(expected(where, "at least one sample", "none"));
  const auto bad = std::find_if_not(samples.begin(), samples.end(), [](double value) {
    return std::fabs(value) <= kLargest;  // false for NaN
  });
  if (bad != samples.end()) {
    return fail(expected(where, "finite numbers, none beyond 1e100", shortest(*bad)));
  }
  return {};
}

Result<void> check_positive(std::string_view where, std::span<const double> samples) {
  if (auto checked = check_samples(where, samples); !checked) return checked;
  const double least = *std::min_element(samples.begin(), samples.end());
  if (least <= 0) return fail(expected(where, "numbers above zero", shortest(least)));
  return {};
}

Result<void> check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return fail(expected("confidence", "a number between 0 and 1", shortest(confidence),
                       confidence > 1 && confidence < 100 ? "95% is 0.95" : ""));
}

}  // namespace kstar::stats
