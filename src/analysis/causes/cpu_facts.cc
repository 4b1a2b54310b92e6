#include "analysis/causes/cpu_facts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/causes/factors.h"

namespace kstar::causes {

namespace {

/// The largest K with an efficiency that the accounts know.
const CpuPoint* last_point(const ScalingTable& table, const CpuAccounts& accounts) {
  for (auto point = accounts.points.rbegin(); point + 1 != accounts.points.rend(); ++point) {
    const ScalingPoint* row = point_at(table, Role::kParallel, point->workers);
    if (row != nullptr && row->efficiency) return &*point;
  }
  return nullptr;
}

bool names_mpi(const Study& study) {
  const auto names = [](const std::string& text) { return text.find("mpi") != std::string::npos; };
  return names(study.header.launcher) ||
         (!study.header.command.empty() && names(study.header.command.front()));
}

bool waits_passively(const StudyHeader& header) {
  const auto& variables = header.environment.variables;
  const auto policy = variables.find("OMP_WAIT_POLICY");
  return policy != variables.end() && (policy->second == "passive" || policy->second == "PASSIVE");
}

/// Putting a thread to sleep and waking it takes up to this long of a CPU, most on virtual
/// machines, whose idle CPUs must be woken as well.
constexpr double kWake = 50e-6;

/// Whether that alone may be half of what the processor time grew by.
bool waking_may_be_it(const CpuPoint& here) {
  constexpr double kHalf = 0.5;
  const auto switches =
      here.passive_switches ? here.passive_switches : here.evidence.voluntary_switches;
  return switches && kWake * *switches >= kHalf * (1 - here.growth.point);
}

/// One worker's CPU is busy and the others' are not, at every K.
bool uses_one_core(const CpuAccounts& accounts) {
  constexpr double kOne = 0.15;
  return accounts.points.front().workers == 1 &&
         std::all_of(accounts.points.begin(), accounts.points.end(),
                     [](const CpuPoint& point) { return std::fabs(point.busy() - 1) < kOne; });
}

}  // namespace

std::optional<CpuFacts> cpu_facts_of(const Study& study, const ScalingTable& table,
                                     const CpuAccounts& accounts, double confidence) {
  const CpuPoint* here = last_point(table, accounts);
  if (here == nullptr || !accounts.not_usable.empty()) return std::nullopt;
  const Environment& environment = study.header.environment;
  CpuFacts facts;
  facts.here = *here;
  facts.base = accounts.points.front();
  facts.confidence = confidence;
  facts.cpus = accounts.cpus;
  facts.machine_cpus = accounts.machine_cpus;
  facts.quota = environment.cpu_quota.value_or(0);
  if (!environment.hosts.empty() && environment.hosts[0].cores < environment.hosts[0].threads) {
    facts.cores = environment.hosts[0].cores.value_or(0);
  }
  facts.mpi = names_mpi(study);
  const bool passive = accounts.passive || waits_passively(study.header);
  facts.wakes_often = passive && waking_may_be_it(facts.here);
  facts.sleeps = passive && !facts.wakes_often;
  facts.one_core = uses_one_core(accounts);
  facts.counters = here->evidence.instructions && here->evidence.cycles &&
                   facts.base.evidence.instructions && facts.base.evidence.cycles;
  return facts;
}

bool is_machine_taken(const CpuFacts& facts) {
  constexpr double kTaken = 1.0 / 3;
  const double others = std::max(facts.here.others, facts.base.others);
  return facts.machine_cpus > 0 && others >= kTaken * facts.machine_cpus;
}

}  // namespace kstar::causes
