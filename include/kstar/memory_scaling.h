#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/machine.h"
#include "kstar/study.h"

/// What the ceilings of a machine say about a study that was measured on it: whether its workers
/// share a bandwidth that is used up, and how much of the machine one worker reaches.
///
/// The same work takes c(K) times the useful time of the base. Where a share f of the base's time
/// moves memory and the rest computes,
///   c(K) = (1 - f) + f m(K),  m(K) = (K/K0) B(K0)/B(K),
/// with B the bandwidth that the machine reached on K threads. Bytes that are known give the least
/// and the most that f can be, by the fastest and the slowest way to move them. Without them, what
/// operations alone lose on K threads, p(K) = (K/K0) P(K0)/P(K), is not taken for memory: cores may
/// share a clock, or more.
namespace kstar {

struct Analysis;

enum class MemoryVerdict {
  kBound,     ///< shared bandwidth takes most of what computation loses
  kNot,       ///< it does not, or nothing is lost
  kUndecided  ///< the noise, or the machine file, does not tell
};
/// "memory_bound", "not_memory_bound", "undecided".
KSTAR_EXPORT std::string_view name_of(MemoryVerdict verdict);

struct MemoryPoint {
  int workers = 1;
  Estimate slowdown;                  ///< c(K), measured
  double bandwidth = 1, compute = 1;  ///< m(K), p(K), of the machine
  Estimate predicted;                 ///< speedup with the share found
  std::optional<Estimate> used;       ///< of the bandwidth on K threads, where bytes are known
};

/// How much of the machine the base reaches.
struct MachineReach {
  int workers = 1;
  std::optional<double> flops, bytes;          ///< per second, measured
  std::optional<Estimate> compute, bandwidth;  ///< shares of the ceilings
  std::optional<double> intensity;             ///< FLOP per byte
  /// Of what a copy or a triad with ordinary stores moves, the slower of the two; bandwidth is of
  /// the fastest way.
  std::optional<double> ordinary;
  std::string precision;  ///< of the ceiling compared with
  /// The larger share, and its name ("memory", "fp64"): what a perfect program would reach is 1.
  std::optional<Estimate> best;
  std::string best_of;
  std::string doubt;  ///< why the shares are not to be believed; "" : nothing speaks against them
};

struct MemoryScaling {
  MemoryVerdict verdict = MemoryVerdict::kUndecided;
  std::string why;          ///< one sentence
  std::string machine;      ///< its name
  BandwidthCurve curve;     ///< of the machine
  Estimate share;           ///< f
  bool from_bytes = false;  ///< bytes are known, and bound f
  double ceiling = 0;       ///< of the speedup on the K that were measured, by bandwidth; 0: none
  std::vector<MemoryPoint> points;
  std::optional<MachineReach> reach;
};

struct MemoryQuestion {
  const MachineCeilings* machine = nullptr;
  std::optional<double> flops, bytes;  ///< of one step or run at the base, where no marks say it
  std::string precision;               ///< "" : the fastest
};

/// Nothing where the machine has no curve of bandwidth, or the study fewer than two K on it.
KSTAR_EXPORT std::optional<MemoryScaling> memory_scaling(const Study& study,
                                                         const Analysis& analysis,
                                                         const MemoryQuestion& question);

/// Of the base alone.
KSTAR_EXPORT std::optional<MachineReach> machine_reach(const Study& study, const Analysis& analysis,
                                                       const MemoryQuestion& question);

}  // namespace kstar
