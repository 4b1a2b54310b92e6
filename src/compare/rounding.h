#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/number.h"
#include "compare/time_kind.h"
#include "kstar/estimate.h"

/// Runs that are equal to the last digit do not say that there is no noise: it is below the digits
/// in which they were written down.
namespace kstar::comparing {

/// In how many digits a study was written down.
struct Digits {
  WrittenDigits written;
  bool inverse = false;  ///< of 1/T: rates and speedups were written down, not times
};

Digits digits_of(const Study& study, TimeKind kind);

/// What rounding hides of the mean of runs that are all equal.
struct Hidden {
  double error = 0;    ///< relative to the mean; 0 where runs differ, or there is one
  double degrees = 0;  ///< of freedom
};

/// A step of the last digit is d wide; what was rounded to one value lies anywhere in it, by a
/// standard deviation of d / sqrt(12). All runs were rounded alike, so more of them do not tell
/// more.
Hidden hidden_by_rounding(std::span<const double> times, const Digits& digits);

/// The ratio with the errors that rounding hid of its parts, which are independent of its own:
/// variances add, degrees of freedom as Welch's.
Estimate with_hidden(const Estimate& ratio, std::span<const Hidden> parts);

}  // namespace kstar::comparing
