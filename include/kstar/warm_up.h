#pragma once

#include <cstddef>
#include <span>

#include "kstar/export.h"
#include "kstar/result.h"

/// How many first samples are warm-up, found from the samples themselves.
namespace kstar {

struct WarmUpOptions {
  /// The share of steady series, about, that lose a sample they should have kept.
  double false_alarm = 0.03;

  /// The most that may be warm-up; in any case no more than half, and three must remain.
  std::size_t limit = static_cast<std::size_t>(-1);
};

struct WarmUp {
  /// The first samples that are slower than the rest. They are to be marked, not thrown away.
  std::size_t length = 0;

  /// How much slower they are on average than the rest, over the rest: 0.2 is 20%.
  double excess = 0;

  /// The evidence for it, in standard errors.
  double t = 0;
};

/// Of runs at one K, or of the steps in one run: in the order they were made, at least one, above
/// zero. Fewer than four are too few to tell: length 0. Only a slow start is warm-up; a fast one
/// is something else.
KSTAR_EXPORT Result<WarmUp> find_warm_up(std::span<const double> samples,
                                         const WarmUpOptions& options = {});

}  // namespace kstar
