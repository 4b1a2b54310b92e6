#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> growth_factor(const CpuFacts& facts) {
  return facts.here.growth;
}

/// More work, or the same work more slowly.
std::string counters_text(const CpuFacts& facts) {
  if (!facts.counters) return "";
  const CpuEvidence& here = facts.here.evidence;
  const CpuEvidence& base = facts.base.evidence;
  return fmt::format(
      "{} times the instructions, {} times the cycles per instruction, {} times the time per cycle",
      fixed(*here.instructions / *base.instructions, 2),
      fixed(*here.cycles / *here.instructions / (*base.cycles / *base.instructions), 2),
      fixed(facts.here.cpu / *here.cycles / (facts.base.cpu / *base.cycles), 2));
}

std::string system_text(const CpuFacts& facts) {
  constexpr double kMuch = 0.1;
  const double here = facts.here.evidence.system_share.value_or(0);
  const double base = facts.base.evidence.system_share.value_or(0);
  const double more = here * facts.here.cpu - base * facts.base.cpu;
  if (more < kMuch * facts.here.cpu) return "";
  return fmt::format("{} of it is in the kernel ({} at K = {}): memory, files or locks",
                     percent(here, 0), percent(base, 0), facts.base.workers);
}

std::string hyperthread_text(const CpuFacts& facts) {
  if (facts.cores == 0 || facts.here.workers <= facts.cores) return "";
  return fmt::format("above K = {} two workers share a core: each is slower with nothing wrong",
                     facts.cores);
}

/// What processor time cannot tell from work.
std::string spinning_text(const CpuFacts& facts) {
  if (facts.mpi) {
    return "MPI ranks poll while they wait: waiting for each other counts as processor time here";
  }
  if (facts.wakes_often) {
    const auto switches = facts.here.passive_switches ? facts.here.passive_switches
                                                      : facts.here.evidence.voluntary_switches;
    return fmt::format(
        "its threads stop to wait {} times per second of processor time, as for a lock; to sleep "
        "and to wake takes processor time itself, so that waiting is part of this growth",
        significant(*switches, 2));
  }
  return facts.sleeps ? "" : "threads that spin while they wait use processor time, too";
}

std::string advice_for(const CpuFacts& facts) {
  if (facts.mpi) return "kstar measure --inside 3 tells waiting from computing in every rank";
  if (facts.wakes_often) {
    return "find what they wait for: perf lock, or strace -f -c -e trace=futex; with marks (kstar "
           "measure --time marks) waiting is measured apart";
  }
  if (!facts.sleeps) {
    return "tell spinning from work with one run per K, if it uses OpenMP: kstar measure --runs 1 "
           "--env OMP_WAIT_POLICY=passive --env KMP_BLOCKTIME=0 ... -o passive.jsonl, then kstar "
           "analyze STUDY --passive passive.jsonl";
  }
  return facts.counters
             ? "more instructions are repeated or extra work; more cycles per "
               "instruction are shared memory, caches or locks"
             : "perf stat at both K, where counters are permitted: more instructions are "
               "extra work, more cycles per instruction shared memory or caches";
}

void describe_growth(const CpuFacts& facts, Cause& cause) {
  cause.evidence.push_back(fmt::format(
      "the same work takes {} times the processor time at K = {}: overhead, or workers that slow "
      "each other down (memory, caches, locks)",
      fixed(1 / facts.here.growth.point, 2), facts.here.workers));
  for (std::string text :
       {counters_text(facts), system_text(facts), hyperthread_text(facts), spinning_text(facts)}) {
    if (!text.empty()) cause.evidence.push_back(std::move(text));
  }
  if (facts.mpi || !facts.sleeps) cause.or_else.push_back(CauseKind::kIdle);
  cause.advice = advice_for(facts);
}

}  // namespace

const CauseEntry kCpuGrowthCause = {
    .about = {CauseKind::kCpuGrowth, "cpu_growth", "more processor time for the same work",
              "more CPU time"},
    .least = kCountedLoss,
    .counted = {growth_factor, describe_growth}};

}  // namespace kstar::causes
