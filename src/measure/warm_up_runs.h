#pragma once

#include <span>

#include "kstar/warm_up.h"

namespace kstar {

/// The first runs of a K that are warm-up, found from its times so far. The loop that decides when
/// to stop and the marks in the finished study must agree: both ask here. More than three slow runs
/// at the start are drift, not warm-up.
inline WarmUp find_warm_up_runs(std::span<const double> times) {
  constexpr std::size_t kMost = 3;
  return find_warm_up(times, {.limit = kMost}).value_or(WarmUp{});
}

}  // namespace kstar
