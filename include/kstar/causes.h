#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/cpu_accounts.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/models.h"
#include "kstar/scaling_table.h"
#include "kstar/study.h"

/// Why the curve bends: what of the efficiency each cause takes, from the times of single workers
/// where they are known (the factors of the POP project), from the factors that another tool wrote
/// down, from the processor time that the kernel counted, from the shape of T(K) where there is
/// none of them.
namespace kstar {

enum class CauseKind {
  kCommunication,
  kStraggler,           ///< a worker is slower at the same work
  kLoadImbalance,       ///< a worker has more work
  kComputationScaling,  ///< every worker computes more slowly when there are more of them
  kSerial,              ///< one worker computes while the others wait
  kCpuWait,             ///< workers that could run have no CPU
  kIdle,                ///< workers have nothing to do
  kCpuGrowth,           ///< the same work takes more processor time
  kContention,          ///< workers wait for a lock, or share a memory's or a link's bandwidth
  kOneCore,             ///< no more than one core is busy, however many workers there are
  kMemoryBandwidth,     ///< workers share a bandwidth that is used up: needs the machine's ceilings
  kNone                 ///< nothing beyond the noise of the machine
};

/// A cause describes itself.
struct CauseAbout {
  CauseKind kind = CauseKind::kNone;
  std::string_view name;   ///< in files: "load_imbalance"
  std::string_view words;  ///< in a sentence: "load imbalance"
  std::string_view brief;  ///< where there is little room
};
KSTAR_EXPORT const CauseAbout& about(CauseKind kind);

KSTAR_EXPORT std::string_view name_of(CauseKind kind);

/// How well the data can know it.
enum class Confidence {
  kMeasured,  ///< from the times of single workers
  kReported,  ///< from the factors that another tool wrote down
  kCounted,   ///< from what the kernel counts of any program
  kShape      ///< guessed from T(K)
};
/// "workers", "factors", "processor", "shape".
KSTAR_EXPORT std::string_view name_of(Confidence confidence);

struct Cause {
  CauseKind kind = CauseKind::kNone;
  /// Of the loss, as logarithms of the factors: shares of all causes and of what is left sum to 1.
  Estimate share;
  /// The factor of efficiency that it takes at the K looked at: 0.8 takes a fifth.
  Estimate factor;
  Confidence confidence = Confidence::kMeasured;
  /// Of a guess: how likely it, or one of `or_else`, is the cause. A guess has no share.
  std::optional<double> probability;
  std::vector<std::string> evidence;  ///< sentences
  std::string advice;                 ///< what to do, or what to measure next
  std::optional<int> worker;          ///< always the same one
  std::string host;                   ///< its host, where known
  /// What cannot be told from it with what was recorded: imbalance and straggler without work done.
  std::vector<CauseKind> or_else;
};

/// Whether nothing says how much of the loss it takes: the shape of T(K) names it, and no more.
KSTAR_EXPORT bool is_guess(const Cause& cause);

/// The factors at one K, as the POP project defines them, over all runs with times of workers.
///   parallel efficiency = load balance x communication efficiency
///   efficiency = parallel efficiency x computation scaling
struct FactorPoint {
  int workers = 1;
  std::size_t runs = 0;
  Estimate parallel;                      ///< mean useful time / time
  Estimate load_balance;                  ///< mean / largest useful time
  Estimate communication;                 ///< largest useful time / time
  std::optional<Estimate> transfer;       ///< of communication: what moving data takes
  std::optional<Estimate> serialization;  ///< of communication: waiting that totals do not show
  std::optional<Estimate> computation;    ///< useful time at the base / here, for the same work
};

struct Diagnosis {
  int workers = 1;                     ///< the K that the shares are about
  std::optional<Estimate> efficiency;  ///< there
  std::vector<FactorPoint> factors;    ///< by K; empty where no run knows its workers
  std::optional<CpuAccounts> cpu;      ///< where the runs know their processor time
  std::vector<Cause> causes;      ///< the largest first; never empty: kNone where nothing is seen
  std::vector<std::string> next;  ///< measurements that would tell apart what is not yet
};

/// `table` is that of the study; without points, nothing but the times of workers is known.
/// `models` are those of its curve; they are fitted here where there are none. `passive` is that of
/// cpu_accounts().
KSTAR_EXPORT Diagnosis diagnose(const Study& study, const ScalingTable& table,
                                double confidence = kConfidence, const ModelFit* models = nullptr,
                                const CpuByWorkers& passive = {});

}  // namespace kstar
