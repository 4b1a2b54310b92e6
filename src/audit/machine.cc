#include <fmt/format.h>

#include <algorithm>

#include "audit/rules.h"
#include "base/number.h"

namespace kstar {

namespace {

/// What was found before measuring that makes every T doubtful.
const Note* machine_note(const Study& study) {
  for (const char* what : {"load", "cpu-quota", "children-left", "governor"}) {
    if (const Note* note = find_note(study, what)) return note;
  }
  return nullptr;
}

const Suspicion* busy_machine_of(const Analysis& analysis) {
  for (const Suspicion& suspicion : analysis.suspicions) {
    if (suspicion.kind == SuspicionKind::kBusyMachine) return &suspicion;
  }
  return nullptr;
}

/// CPUs that everything else used, at the K where that is most; none where no run knows it.
std::optional<double> most_others(const Study& study) {
  std::optional<double> most;
  for (const Run& run : study.runs) {
    if (!counts(run) || !run.usage.cpu_others || !run.wall || !(*run.wall > 0)) continue;
    most = std::max(most.value_or(0), *run.usage.cpu_others / *run.wall);
  }
  return most;
}

RuleVerdict own_machine(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const Suspicion* busy = busy_machine_of(*evidence.analysis)) {
    return contradicted(
        fmt::format("other jobs used {} of {} CPUs at K = {}, and its threads waited for one",
                    significant(busy->value, 2), significant(busy->cpus, 3), busy->workers));
  }
  if (const Note* over = find_note(evidence, "oversubscribed")) {
    return contradicted(note_sentence(*over));
  }
  if (const Note* note = machine_note(evidence.study)) return missing(note_sentence(*note));
  const std::optional<double> others = most_others(evidence.study);
  if (!others) return not_applicable("what else ran on the machine is not recorded");
  return shown(
      fmt::format("other jobs used at most {} of a CPU during any run", significant(*others, 2)));
}

/// A variable may set the workers; where nothing shows that it does, K is only a label.
RuleVerdict workers_used(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const std::optional<CpuAccounts>& cpu = evidence.analysis->diagnosis.cpu;
  const Note* same = find_note(evidence, "same-command");
  if (!cpu) {
    return same != nullptr ? missing(note_sentence(*same))
                           : not_applicable("processor time is not recorded");
  }
  const CpuPoint& last = cpu->points.back();
  constexpr double kLeast = 1.2;  // more than one worker
  const double ready = (last.cpu + last.most_waited) / last.wall;
  const std::string use = fmt::format("{} workers have something to do on average at K = {}",
                                      significant(ready, 2), last.workers);
  if (!cpu->not_usable.empty()) return missing(cpu->not_usable);
  if (last.workers > 1 && ready < kLeast) return contradicted(use);
  return shown(use);
}

constexpr CheckedRule kMachineRules[] = {
    {{"own-machine", RuleGroup::kProblem, "A machine for this job alone",
      "What other jobs take from it looks like poor scaling, and differs from K to K.",
      "What else ran on the machine, and what are the times without it?"},
     &own_machine,
     {0, 0}},
    {{"workers-used", RuleGroup::kProblem, "K workers that do something",
      "A flag that is missing or ignored leaves one worker at every K.",
      "How many CPUs does the job keep busy at each K?"},
     &workers_used,
     {0, 0}},
};

}  // namespace

std::span<const CheckedRule> machine_rules() {
  return kMachineRules;
}

}  // namespace kstar
