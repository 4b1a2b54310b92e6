#pragma once

#include <optional>

#include "kstar/causes.h"
#include "kstar/cpu_accounts.h"

/// What the kernel counted at the K looked at, and what is known about the program that explains
/// it; each cause says its part in words.
namespace kstar::causes {

struct CpuFacts {
  CpuPoint here, base;
  double confidence = kConfidence;
  double cpus = 0;           ///< that the job may use; 0: not known
  double machine_cpus = 0;   ///< of the whole machine, which others use as well
  double quota = 0;          ///< of them, where a quota limits it; 0: none
  int cores = 0;             ///< of the machine; fewer than its hardware threads; 0: not known
  bool mpi = false;          ///< its workers are ranks, which poll while they wait
  bool sleeps = false;       ///< known not to spin: set so, or measured so
  bool wakes_often = false;  ///< it sleeps so often that waking costs what is to be told
  bool one_core = false;     ///< no more than one CPU is in use at any K
  bool counters = false;     ///< instructions and cycles are known at both K
};

/// None where the accounts explain nothing.
std::optional<CpuFacts> cpu_facts_of(const Study& study, const ScalingTable& table,
                                     const CpuAccounts& accounts, double confidence);

/// Other jobs took so much that nothing else can be told from these runs.
bool is_machine_taken(const CpuFacts& facts);

}  // namespace kstar::causes
