#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> idle_factor(const CpuFacts& facts) {
  return facts.here.wanted;
}

/// Threads that sleep and wake often wait for each other; those that sleep rarely have no work.
std::string switches_text(const CpuFacts& facts) {
  constexpr double kOften = 200;
  const auto here = facts.here.evidence.voluntary_switches;
  const auto base = facts.base.evidence.voluntary_switches;
  if (!here || !base || *here < kOften || *here < 2 * *base) return "";
  return fmt::format(
      "they stop to wait {} times per second of processor time ({} at K = {}), as with a lock, a "
      "barrier, a pipe or input and output",
      significant(*here, 2), significant(*base, 2), facts.base.workers);
}

std::string bound_text(const CpuFacts& facts) {
  if (facts.here.waited) return "";
  return fmt::format(
      "how long they were ready without a CPU is not known: other jobs used {} CPUs, and up to {} "
      "of the time may be that",
      significant(facts.here.others, 2),
      percent(facts.here.most_waited / (facts.here.workers * facts.here.wall), 0));
}

/// Where more could run and have no CPU, that is said of waiting for one.
bool is_one_core(const CpuFacts& facts) {
  return facts.one_core && facts.here.wanted.point <= facts.here.got.point;
}

std::string main_text(const CpuFacts& facts) {
  if (is_one_core(facts)) {
    return fmt::format(
        "One core is used at every K ({} cores are busy at K = {}): a lock that all share, as in "
        "Python threads, a missing flag, or one task that is not divided",
        fixed(facts.here.busy(), 2), facts.here.workers);
  }
  const double ready = (facts.here.cpu + facts.here.waited.value_or(0)) / facts.here.wall;
  return fmt::format(
      "{} of {} workers have something to do on average ({} of {} at K = {}): a serial part, "
      "uneven work, or waiting for a lock, for data or for each other",
      significant(ready, 2), facts.here.workers,
      significant((facts.base.cpu + facts.base.waited.value_or(0)) / facts.base.wall, 2),
      facts.base.workers, facts.base.workers);
}

void describe_idle(const CpuFacts& facts, Cause& cause) {
  if (is_one_core(facts)) cause.kind = CauseKind::kOneCore;
  cause.evidence.push_back(main_text(facts));
  for (std::string text : {switches_text(facts), bound_text(facts)}) {
    if (!text.empty()) cause.evidence.push_back(std::move(text));
  }
  if (!facts.here.waited) cause.or_else.push_back(CauseKind::kCpuWait);
  cause.advice = facts.mpi
                     ? "kstar measure --inside 3 tells which rank waits, and for what"
                     : "mark the phases (kstar/mark.h, kstar_mark.py) and measure with --time "
                       "marks: that tells a serial part from uneven work and from waiting";
}

}  // namespace

const CauseEntry kIdleCause = {.about = {CauseKind::kIdle, "idle", "idle workers", "idle workers"},
                               .least = kCountedLoss,
                               .counted = {idle_factor, describe_idle}};

}  // namespace kstar::causes
