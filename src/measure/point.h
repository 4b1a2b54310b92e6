#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "kstar/study.h"
#include "kstar/warm_up.h"

/// One program at one K, as all that judge it must see it.
namespace kstar {

/// How notes call one program at one K.
inline std::string point_name(Role role, int workers, bool inside = false) {
  return role == Role::kBaseline ? "baseline"
                                 : fmt::format("K = {}{}", workers, inside ? ", profiled" : "");
}

/// The first runs of a K that are warm-up, found from its times so far. The loop that decides when
/// to stop and the marks in the finished study must agree: both ask here. More than three slow runs
/// at the start are drift, not warm-up.
inline WarmUp find_warm_up_runs(std::span<const double> times) {
  constexpr std::size_t kMost = 3;
  return find_warm_up(times, {.limit = kMost}).value_or(WarmUp{});
}

/// How the failure of a run begins that the cluster lost, not the job.
inline constexpr std::string_view kLostByCluster = "the cluster lost the job";

/// Such a run does not speak against its K.
inline bool is_lost_by_cluster(const Run& run) {
  return run.failure.starts_with(kLostByCluster);
}

}  // namespace kstar
