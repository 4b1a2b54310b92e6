#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes/registry.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> cpu_wait_factor(const CpuFacts& facts) {
  if (!facts.here.waited || !facts.base.waited) return std::nullopt;
  return facts.here.got;
}

double waiting_share(const CpuPoint& point) {
  return *point.waited / (point.cpu + *point.waited);
}

bool is_oversubscribed(const CpuFacts& facts) {
  return facts.cpus > 0 && facts.here.workers > facts.cpus;
}

bool others_hold(const CpuFacts& facts) {
  constexpr double kMuch = 0.1;
  return facts.here.others >= kMuch * std::max(1.0, facts.machine_cpus);
}

/// CPUs were free, and its threads were not let onto them.
bool is_held_back(const CpuFacts& facts) {
  constexpr double kMost = 0.75;
  const double could = std::min<double>(facts.here.workers, facts.cpus);
  return facts.quota <= 0 && !others_hold(facts) && facts.here.busy() < kMost * could;
}

std::string who_has_them(const CpuFacts& facts) {
  if (is_held_back(facts)) {
    return fmt::format(
        "{} of {} CPUs were busy: its threads share them, by a binding (taskset, a job "
        "system) or a quota",
        significant(facts.here.busy(), 2), significant(facts.cpus, 3));
  }
  if (is_oversubscribed(facts)) {
    return fmt::format("there are {} workers for {} CPUs{}", facts.here.workers,
                       significant(facts.cpus, 3), facts.quota > 0 ? ", by a quota" : "");
  }
  if (others_hold(facts)) {
    return fmt::format("other jobs used {} of {} CPUs", significant(facts.here.others, 2),
                       significant(facts.machine_cpus, 3));
  }
  return "what had the CPUs is not known: a quota, or more threads than workers";
}

std::string how_long(const CpuFacts& facts) {
  if (!facts.here.counted) {
    return fmt::format("E cannot exceed {} at K = {}",
                       significant(facts.cpus / facts.here.workers, 3), facts.here.workers);
  }
  return fmt::format(
      "its threads were ready and had no CPU for {} of their time at K = {} ({} at K = {})",
      percent(waiting_share(facts.here), 0), facts.here.workers,
      percent(waiting_share(facts.base), 0), facts.base.workers);
}

void describe_cpu_wait(const CpuFacts& facts, Cause& cause) {
  cause.evidence.push_back(how_long(facts) + "; " + who_has_them(facts));
  if (is_held_back(facts)) {
    cause.advice =
        "check which CPUs its threads may use while it runs: grep Cpus_allowed_list "
        "/proc/PID/status; OMP_PLACES, OMP_PROC_BIND";
  } else if (is_oversubscribed(facts)) {
    cause.advice = fmt::format("run at most {} workers here, or ask for more CPUs",
                               significant(facts.cpus, 3));
  } else if (others_hold(facts)) {
    cause.advice = "stop the other jobs, or wait for them, and measure again";
  } else {
    cause.advice = "see what has the CPUs while it runs (top -H): threads of its own, or a quota";
  }
}

}  // namespace

const CauseEntry kCpuWaitCause = {
    .about = {CauseKind::kCpuWait, "cpu_wait", "waiting for a free CPU", "no free CPU"},
    .least = kCountedLoss,
    .counted = {cpu_wait_factor, describe_cpu_wait}};

}  // namespace kstar::causes
