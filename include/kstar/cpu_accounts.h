#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/scaling_table.h"
#include "kstar/study.h"

/// Where the efficiency went, from what the kernel counts of any program. With c the CPU seconds of
/// the job, D the seconds that its threads were ready and had no CPU, T the time on K workers,
///   got = c / (c + D), wanted = (c + D) / (K T), so that K T = c / (got wanted) and
///   E = [got / got0] x [wanted / wanted0] x [c0 / c]
/// exactly, with means over the same runs. Every quantity "of the base" has the index 0.
namespace kstar {

/// What a run uses on average.
struct CpuUse {
  double seconds = 0;              ///< of all its CPUs
  std::optional<double> switches;  ///< times per CPU second that a thread stopped to wait
};
using CpuByWorkers = std::map<int, CpuUse>;

/// Of one run, where it is known.
struct CpuEvidence {
  std::optional<double> voluntary_switches;  ///< per CPU second
  std::optional<double> involuntary_switches;
  std::optional<double> migrations;
  std::optional<double> faults;        ///< page faults, with and without I/O
  std::optional<double> system_share;  ///< of the CPU seconds, those in the kernel
  std::optional<double> instructions;
  std::optional<double> cycles;
  std::optional<double> peak_memory;  ///< bytes
};

struct CpuPoint {
  int workers = 1;
  std::size_t runs = 0;
  double wall = 0;               ///< mean seconds, the whole process
  double cpu = 0;                ///< c, mean seconds
  std::optional<double> waited;  ///< D, mean seconds, time stolen by a hypervisor included
  double most_waited = 0;        ///< what D cannot exceed, where it is not known
  bool counted = true;           ///< D was counted; otherwise it follows from workers and CPUs
  double others = 0;             ///< CPUs that everything else used meanwhile
  CpuEvidence evidence;
  std::optional<double> passive_switches;  ///< of the passive runs, where there are any

  Estimate got;     ///< factors of E against the base: what other jobs, a quota and more threads
                    ///< than CPUs left
  Estimate wanted;  ///< whether K workers had something to do
  Estimate growth;  ///< processor time of the same work

  double busy() const { return cpu / wall; }  ///< CPUs in use
};

struct CpuAccounts {
  std::vector<CpuPoint> points;  ///< by K; the first is the base
  double cpus = 0;               ///< that the job may use; 0: not known
  double machine_cpus = 0;       ///< of the machine: what others used is counted over all of it
  bool passive = false;    ///< processor time is that of runs whose threads sleep while waiting
  std::string not_usable;  ///< why they do not explain T(K): a sentence; empty where they do
};

/// None where fewer than two K have runs that know their CPU time. `passive` is what the same runs
/// use where waiting threads sleep: spinning is then waiting, not work.
KSTAR_EXPORT std::optional<CpuAccounts> cpu_accounts(const Study& study, const ScalingTable& table,
                                                     const CpuByWorkers& passive = {},
                                                     double confidence = kConfidence);

/// Of the runs that count.
KSTAR_EXPORT CpuByWorkers cpu_by_workers(const Study& study);

}  // namespace kstar
