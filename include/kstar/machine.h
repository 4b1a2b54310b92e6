#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/result.h"

/// What a machine can do at most: operations per second, and bytes per second to each level of its
/// memory, with the spread of repeated measurements. `kstar roofline measure` writes the file;
/// other instruments read it.
namespace kstar {

/// The names of the levels, from the nearest to the farthest: "l1", "l2", "l3", "memory".
KSTAR_EXPORT const std::vector<std::string>& memory_levels();
/// "L1", "memory": for people.
KSTAR_EXPORT std::string level_words(std::string_view level);

/// A stated rate below this is one in GFLOP/s or GB/s that was written without its 1e9.
inline constexpr double kLeastStatedRate = 1e6;
/// No machine of any kind does as much.
inline constexpr double kMostRate = 1e21;

/// One ceiling: a rate that one kind of loop reached on so many threads.
struct MachineCeiling {
  std::string level;            ///< "compute", or one of memory_levels()
  std::string kernel;           ///< "fma", "gemm"; "read", "copy", "triad"; "" of a data sheet
  std::string precision;        ///< of operations: "fp64", "fp32", "bf16"
  std::string vector;           ///< the unit: "sse2", "avx2", "avx512", "matrix"; may be empty
  int threads = 1;              ///< of a GPU 1: the whole of it; 0: not known
  double working_set = 0;       ///< bytes, over all threads; 0: not known
  std::vector<double> samples;  ///< FLOP/s or B/s of every repetition, in order; one: a stated one
  /// The median of the samples; without an interval where there is only one.
  Estimate rate;

  bool is_compute() const { return level == "compute"; }
};

struct MachineCeilings {
  std::string name;        ///< of the machine or GPU, for people
  std::string kind;        ///< "cpu" or "gpu"
  std::string processor;   ///< the model's name
  std::string capability;  ///< of an NVIDIA GPU: "9.0"; "": not known
  int cores = 0;           ///< 0: not known
  std::string measured;    ///< date
  std::string writer;      ///< the program that made the file, with its version
  /// The share of the time that the measuring threads were ready and had no CPU: other jobs had it.
  double cpu_wait = 0;
  std::vector<std::string> notes;
  std::vector<MachineCeiling> ceilings;
  std::string source;  ///< the file, for messages; not written
};

/// "other jobs had the CPUs for 42% of the time in which NAME was measured"; "" where they had
/// little of it. Such rates are too low to be ceilings.
KSTAR_EXPORT std::string disturbance_of(const MachineCeilings& machine);

/// The compute capability that the file has, or that of the NVIDIA GPU that it names; "" where
/// neither is known.
KSTAR_EXPORT std::string capability_of(const MachineCeilings& machine);

/// A ceiling from its samples, which must be above 0.
KSTAR_EXPORT MachineCeiling make_ceiling(MachineCeiling about, std::vector<double> samples);

/// A machine.toml. Errors name the place, the value and what was expected.
KSTAR_EXPORT Result<MachineCeilings> parse_machine(std::string_view text, std::string_view name);
KSTAR_EXPORT Result<MachineCeilings> load_machine(const std::string& path);
/// As parse_machine() reads it.
KSTAR_EXPORT std::string to_toml(const MachineCeilings& machine);

/// What the machine does at most on so many threads.
struct CeilingAt {
  Estimate rate;
  const MachineCeiling* from = nullptr;  ///< the nearest one that was measured
  bool between = false;                  ///< interpolated between two thread counts
  bool beyond = false;                   ///< more threads than were measured: the rate of the most
};

/// The fastest operations; of one precision where it is not "". Nothing where there are none.
KSTAR_EXPORT std::optional<CeilingAt> compute_ceiling(const MachineCeilings& machine, int threads,
                                                      std::string_view precision = "");

/// The fastest moves of a level; of one kernel where it is not "".
KSTAR_EXPORT std::optional<CeilingAt> bandwidth_ceiling(const MachineCeilings& machine,
                                                        std::string_view level, int threads,
                                                        std::string_view kernel = "");

/// What a program may be at below the fastest: each width of the registers, and without them
/// ("scalar"), of one precision; of a level of memory copy and triad with ordinary stores.
struct LowerCeiling {
  std::string name;  ///< "avx2", "scalar"; "copy", "triad"
  double rate = 0;
};
KSTAR_EXPORT std::vector<LowerCeiling> lower_ceilings(const MachineCeilings& machine,
                                                      std::string_view level, int threads,
                                                      std::string_view precision = "");

/// The peak that a rate of operations is compared with where their precision is not known (""): on
/// a processor that of fp64, which most programs use and which a rate of fp32 may exceed; elsewhere
/// the fastest.
KSTAR_EXPORT std::optional<CeilingAt> peak_to_reach(const MachineCeilings& machine, int threads,
                                                    std::string_view precision, double rate);

/// Precisions and levels that the file has, in their usual order.
KSTAR_EXPORT std::vector<std::string> precisions_of(const MachineCeilings& machine);
KSTAR_EXPORT std::vector<std::string> levels_of(const MachineCeilings& machine);
/// Thread counts at which anything was measured.
KSTAR_EXPORT std::vector<int> thread_counts(const MachineCeilings& machine);

struct BandwidthPoint {
  int threads = 1;
  Estimate rate;     ///< bytes per second
  Estimate speedup;  ///< over one thread: S(K) of a program that only moves memory
};

/// Of its largest rate: with so much of it bandwidth is used up.
inline constexpr double kUsedUpShare = 0.9;

/// Bandwidth against threads.
struct BandwidthCurve {
  std::string level;
  std::string kernel;
  std::vector<BandwidthPoint> points;  ///< by threads
  double most = 0;                     ///< the largest rate
  /// The fewest threads that reach kUsedUpShare of the largest rate, and between which counts it
  /// may lie.
  int used_up = 1, used_up_low = 1, used_up_high = 1;
};

/// Of the memory's triad by default; nothing where one thread or any other count is missing.
KSTAR_EXPORT std::optional<BandwidthCurve> bandwidth_curve(const MachineCeilings& machine,
                                                           std::string_view level = "memory",
                                                           std::string_view kernel = "");

/// The standard deviation, as a share of S(K), by which one speedup differs from one measurement to
/// the next on the same machine beyond their own errors: 2.7% over 35 studies of ten programs on 16
/// virtual cores (examples/memory), 1.9% at K = 4 and 3.8% at K = 16.
inline constexpr double kSessionDrift = 0.027;

/// The speedup of a program of which a share `memory` of T(1) moves memory and the rest computes:
///   S(K) = 1 / ((1 - f) / K + f / s(K)), s the speedup of the bandwidth.
/// K between two measured counts is interpolated; beyond the most there is none. The interval is of
/// a speedup that is measured at another time than the ceilings: see kSessionDrift.
KSTAR_EXPORT std::optional<Estimate> memory_speedup(const BandwidthCurve& curve, double workers,
                                                    double memory = 1);

}  // namespace kstar
