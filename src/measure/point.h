#pragma once

#include <fmt/format.h>

#include <span>
#include <string>

#include "kstar/study.h"
#include "kstar/warm_up.h"

/// One program at one K, as all that judge it must see it.
namespace kstar {

/// Caches and clocks that warm up cost a run up to a few times its time; work that the later runs
/// find done costs more.
inline constexpr double kCachedWork = 10;

/// How notes call one program at one K.
inline std::string point_name(Role role, int workers, bool inside = false) {
  return role == Role::kBaseline ? "baseline"
                                 : fmt::format("K = {}{}", workers, inside ? ", profiled" : "");
}

/// The first runs of a K that are warm-up, found from its times so far. The loop that decides when
/// to stop and the marks in the finished study must agree: both ask here. More than three slow runs
/// at the start are drift, not warm-up; and runs that are hardly slower are no warm-up that anybody
/// would leave out, however sure it is that they are. At most half of the runs are found.
inline WarmUp find_warm_up_runs(std::span<const double> times) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeastExcess = 0.02;
  const WarmUp found = find_warm_up(times, {.limit = kMost}).value_or(WarmUp{});
  return found.excess < kLeastExcess ? WarmUp{} : found;
}

}  // namespace kstar
