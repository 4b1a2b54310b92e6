#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/machine.h"
#include "kstar/result.h"

/// Kernels and programs under the ceilings of their machine: what bounds each, how much there is to
/// gain, and which to fix first (Williams, Waterman, Patterson: Roofline, CACM 52, 2009).
namespace kstar {

struct LevelBytes {
  std::string level;  ///< one of memory_levels()
  double bytes = 0;
};

/// A share of a ceiling that the profiler itself reports, 0 to 1 or a little more.
struct ReportedShare {
  std::string of;  ///< "fp32", "fp64", "sm", or a level
  double share = 0;
};

/// One kernel, region or program: all its launches together.
struct RooflineKernel {
  std::string name;
  int launches = 1;
  double seconds = 0;            ///< over all launches
  std::optional<Estimate> time;  ///< of one run, where it was repeated; then `seconds` is its point
  std::optional<double> flops;   ///< over all launches; absent: not known
  std::string precision;         ///< of most of them; "" : not known
  bool matrix = false;           ///< on matrix units
  std::vector<LevelBytes> bytes;
  std::vector<ReportedShare> reported;
  int threads = 0;  ///< of a CPU; 0: a GPU, or all
  /// The share of its time in which its threads ran, or were ready to; absent: not known.
  std::optional<double> active;
  bool part_of_flops = false, part_of_bytes = false;  ///< some were not counted: at least so many
  bool l1_contested = false;  ///< the profiler's share of all memory is smaller than that of L1
  std::string missing;        ///< what the input does not contain, and how to get it; may be empty
};

/// What was read from a profiler.
struct RooflineProfile {
  std::string source;      ///< "Nsight Compute, details page"
  std::string device;      ///< its name, where the file says it
  std::string capability;  ///< of an NVIDIA GPU, where the file says it: "9.0"
  bool gpu = false;
  std::vector<RooflineKernel> kernels;
  std::optional<MachineCeilings> ceilings;  ///< where the file has some of its own
  std::vector<std::string> doubts;          ///< why its times are too long; said first
  std::vector<std::string> notes;           ///< what was skipped or guessed
};

/// A file of Nsight Compute (CSV; details, raw or single metrics), rocprof-compute (pmc_perf.csv),
/// likwid-perfctr, likwid-bench, STREAM, BabelStream, HPCC or perf stat, known by its content. What
/// it is not is an error.
KSTAR_EXPORT Result<RooflineProfile> parse_profile(std::string_view text, std::string_view name);
KSTAR_EXPORT Result<RooflineProfile> read_profile(const std::string& path);

/// Ceilings: a machine.toml, the output of kstar-gpu-ceilings, rocprof-compute's roofline.csv,
/// STREAM, BabelStream, HPCC or likwid-bench.
KSTAR_EXPORT Result<MachineCeilings> parse_ceilings(std::string_view text, std::string_view name);
KSTAR_EXPORT Result<MachineCeilings> read_ceilings(const std::string& path);

/// Adds what another file knows of the same kernels, by their names.
KSTAR_EXPORT void merge_profile(RooflineProfile& into, const RooflineProfile& other);

enum class Bound {
  kCompute,
  kMemory,   ///< a level of memory: RooflinePlace::level
  kLatency,  ///< neither is used much: latency, or too little work at once
  kUnknown   ///< what is missing could be what bounds it
};
/// "compute", "memory", "latency", "unknown".
KSTAR_EXPORT std::string_view name_of(Bound bound);

struct LevelShare {
  std::string level;
  std::optional<double> rate;  ///< bytes per second
  std::optional<Estimate> share;
  std::optional<double> intensity;  ///< FLOP per byte of this level
};

/// A share of a ceiling below the highest.
struct LowerShare {
  std::string level;  ///< "compute" or "memory"
  std::string name;   ///< "avx2", "scalar"; "copy", "triad"
  double share = 0;
};

struct RooflinePlace {
  RooflineKernel kernel;
  std::optional<double> rate;        ///< FLOP/s
  std::optional<double> intensity;   ///< FLOP per byte of the memory
  std::optional<Estimate> compute;   ///< share of the ceiling of operations
  std::optional<double> attainable;  ///< FLOP/s at this intensity
  std::vector<LevelShare> levels;    ///< from the nearest to the farthest
  std::optional<double> pipes;       ///< share of time in which the processor issues anything
  /// Of a processor, where it is far from the highest ceilings: the nearest of those below them
  /// that it may be at; see lower_ceilings().
  std::optional<LowerShare> lower;
  bool precision_assumed = false;  ///< fp64, since it is not known
  /// More of a ceiling than there is: operations, bytes, time or ceilings are not those of this
  /// run.
  bool above = false;
  Bound bound = Bound::kUnknown;
  std::string level;                 ///< of kMemory
  std::optional<Estimate> headroom;  ///< how many times faster its ceiling is
  double saved = 0;                  ///< seconds, if it reached its ceiling; 0: not known
};

/// Where compute and bandwidth cross.
struct Ridge {
  std::string precision;
  std::string level;
  double compute = 0, bandwidth = 0, intensity = 0;
};

struct Roofline {
  std::string title;
  std::optional<MachineCeilings> machine;
  int threads = 0;               ///< that the ceilings drawn are of; 0: the most
  std::string threads_from;      ///< why these: "as many as it used"; empty: of a GPU, or given
  bool threads_measured = true;  ///< false: `threads_from` says on how many threads they were
  std::vector<RooflinePlace> places;  ///< the longest first
  double seconds = 0;                 ///< of all
  std::vector<Ridge> ridges;          ///< of the memory, by precision
  std::optional<std::size_t> first;   ///< what to fix first: the most seconds to save
  std::vector<std::string> doubts;    ///< why the answer may be wrong; said first
  std::vector<std::string> notes;
};

struct RooflineOptions {
  int threads = 0;        ///< of the ceilings to compare with; 0: those of each kernel, or the most
  std::string precision;  ///< of kernels that do not say theirs
};

/// Below this share of its time on the CPUs a program waits, whatever it does in the rest.
inline constexpr double kActiveShare = 0.5;
/// Whether it waited for most of its time, and so is bound by neither compute nor memory.
KSTAR_EXPORT bool waits(const RooflineKernel& kernel);

/// A share of 60% or more of a ceiling counts as bound by it, as in Nsight Compute's own rules.
inline constexpr double kBoundShare = 0.6;
/// Where not everything was counted: what is missing could have more than the rest.
inline constexpr double kSurelyBoundShare = 0.8;

KSTAR_EXPORT Roofline place_kernels(const RooflineProfile& profile,
                                    const std::optional<MachineCeilings>& machine,
                                    const RooflineOptions& options = {});

/// min(peak, intensity x bandwidth).
KSTAR_EXPORT double attainable_rate(double peak, double bandwidth, double intensity);

}  // namespace kstar
