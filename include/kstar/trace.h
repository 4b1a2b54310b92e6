#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/cost_model.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/network.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Profiler traces (Chrome JSON as torch.profiler writes it) to where a training step's time goes,
/// its serial fraction, who waits for whom, and what more workers would give. docs/trace.md says
/// how each quantity is defined.
namespace kstar {

/// Where the steps of a trace were found.
enum class TraceSteps : std::uint8_t {
  kProfiler,    ///< ProfilerStep#N
  kNamed,       ///< the annotation of TraceOptions::step
  kAnnotation,  ///< an annotation that repeats
  kNumbered,    ///< every event has the number of its step
  kRepetition,  ///< the same operations again and again
  kWhole        ///< none were found: the whole trace counts as one
};

struct TraceOptions {
  std::string step;                   ///< the annotation that marks a step; "": found
  std::string rules;                  ///< a file of rules that come before the built-in ones
  std::optional<int> workers;         ///< K, where the traces do not say it
  int part = 1, parts = 1;            ///< only every parts-th file, from the part-th on
  int threads = 0;                    ///< 0: one for each core
  std::vector<std::int64_t> predict;  ///< the K of the curve; empty: doublings
  std::optional<Network> network;     ///< its collectives grow as it says
  double threshold = kThreshold;      ///< K* is the last K with this efficiency
};

/// The built-in rules, as a file of rules.
KSTAR_EXPORT std::string_view trace_rules();

/// HolisticTraceAnalysis's quantities, by its definitions: whole microseconds.
struct TraceHtaRank {
  bool known = false;
  std::int64_t idle = 0, compute = 0, non_compute = 0, kernel_time = 0;
  std::int64_t communication = 0, overlap = 0;
  /// By what is active: 1 computation, 2 communication, 4 memory.
  std::array<std::int64_t, 8> kinds{};
};

/// Seconds of one rank, or means over ranks: of one step.
struct TraceTimes {
  double step = 0;
  double compute = 0;
  double communication = 0;  ///< all of it
  double exposed = 0;        ///< of it, what no compute covers
  double copies = 0;         ///< copies that neither covers
  double idle = 0;
  double waiting = 0;           ///< of communication: until the last rank came
  double transfer = 0;          ///< the rest
  double exposed_waiting = 0;   ///< of exposed
  double exposed_transfer = 0;  ///< the rest
};

struct TraceRank {
  std::int64_t rank = 0;
  std::string file;
  std::string title;
  std::size_t steps = 0;
  TraceTimes times;         ///< means over its steps
  std::size_t last = 0;     ///< in how many matched collectives it came last
  std::size_t matched = 0;  ///< of how many
  double clock = 0;         ///< seconds that its clock is ahead of the others
  double made_wait = 0;     ///< seconds per step that others waited for it, the sum over them
  TraceHtaRank hta;
};

/// One kind of communication, over all ranks and steps.
struct TraceOperation {
  std::string collective, group, library;
  std::int64_t size = 0;   ///< of the group; 0: not said
  std::int64_t bytes = 0;  ///< of one; 0: not said
  std::size_t count = 0;   ///< per rank
  double seconds = 0;      ///< per rank and step: means
  double waiting = 0, transfer = 0, exposed = 0;
};

/// A piece of the critical path: one after the other, they are the step.
struct TracePathPiece {
  enum class Kind : std::uint8_t { kCompute, kTransfer, kCopy, kHost, kIdle };
  Kind kind = Kind::kCompute;
  std::int64_t rank = 0;
  std::string name;
  std::size_t count = 1;
  double start = 0;  ///< from the start of the step
  double seconds = 0;
};

struct TracePath {
  std::string step;
  double seconds = 0;
  std::vector<TracePathPiece> pieces;
  std::array<double, 5> by_kind{};                       ///< seconds, by TracePathPiece::Kind
  std::vector<TracePathPiece> largest;                   ///< by kind and name, summed up
  std::vector<std::pair<std::int64_t, double>> by_rank;  ///< seconds on each, the largest first
};

/// A lane of the step that is shown, for pictures.
struct TraceLane {
  struct Piece {
    double start = 0, end = 0;
    int kind = 0;  ///< 0 compute, 1 communication, 2 copy
    std::string name;
  };
  std::int64_t rank = 0;
  std::string name;
  std::vector<Piece> pieces;
};

enum class TraceChangeKind { kAsItIs, kIdleStays, kBalanced, kHidden };

/// The same job if something were different.
struct TraceChange {
  TraceChangeKind kind = TraceChangeKind::kAsItIs;
  std::string name;
  CostModel model;
  double ceiling = 0;            ///< times the speed of today's step; infinite where there is none
  double usable = 0;             ///< K*: the last K with the wanted efficiency
  std::vector<double> speedups;  ///< at TraceAnalysis::predicted
};

struct TraceUnclassified {
  std::string name;
  double share = 0;  ///< of the time of all operations
};

/// Step times of each K that was also given as rates.
struct TraceRate {
  std::int64_t workers = 1;
  double rate = 0;
};

struct TraceExplained {
  std::int64_t base = 1, workers = 1;
  double missing = 1;       ///< times the rate that would be in proportion to workers
  double explained = 1;     ///< times that exposed communication makes the step longer
  std::int64_t usable = 1;  ///< the last K of the rates with the wanted efficiency
};

struct TraceAnalysis {
  std::int64_t workers = 1;      ///< K
  bool workers_assumed = false;  ///< nothing said it: the ranks were counted
  std::string backend;
  bool device = true;
  TraceSteps step_source = TraceSteps::kWhole;
  std::string step_name;
  std::vector<std::string> steps;      ///< labels of those that all ranks have
  std::vector<double> step_seconds;    ///< means over ranks
  std::vector<double> active_seconds;  ///< in which any rank does something; empty: not known
  std::vector<std::vector<TraceTimes>> by_step;  ///< [step][rank]
  std::vector<TraceRank> ranks;
  std::vector<std::int64_t> missing;  ///< ranks without a trace
  TraceTimes mean;                    ///< over ranks and steps
  bool split = false;                 ///< waiting could be told from transfer
  bool serial_is_bound = false;       ///< s is at most what it says: there may be waiting in it
  Estimate serial;                    ///< s: the exposed part that every rank pays, of the step
  Estimate step_time;
  double load_balance = 1;                   ///< mean over the longest computation
  double transfer_efficiency = 1;            ///< the step without transfer, over the step
  std::size_t collectives = 0, matched = 0;  ///< on one rank
  double clock_spread = 0;                   ///< seconds between the clocks of two ranks, at most
  double clock_error = 0;  ///< seconds: how far ends of a collective still differ, in the median
  std::vector<TraceOperation> operations;
  std::optional<TracePath> path;
  std::vector<TraceLane> lanes;
  std::vector<std::vector<double>> waits;  ///< [waiting rank][last rank], seconds per step
  std::vector<TraceUnclassified> unclassified;
  double unclassified_share = 0;
  std::vector<std::int64_t> predicted;
  std::vector<TraceChange> changes;  ///< the first is the job as it is
  std::vector<TraceExplained> explained;
  std::vector<std::string> notes;  ///< what is missing, torn or guessed: sentences
  std::int64_t events = 0, bytes = 0;
  double threshold = kThreshold;
};

/// One analysis for each K, in their order. Paths are files and folders of files.
KSTAR_EXPORT Result<std::vector<TraceAnalysis>> analyze_traces(std::span<const std::string> paths,
                                                               const TraceOptions& options);

/// The files of one part, reduced: lines that merge_trace_parts() reads.
KSTAR_EXPORT Result<std::string> trace_part(std::span<const std::string> paths,
                                            const TraceOptions& options);

/// Whether a text is such a part, by its first bytes.
KSTAR_EXPORT bool is_trace_part(std::string_view text);

/// What analyze_traces() gives for all the files, from all the parts of them.
KSTAR_EXPORT Result<std::vector<TraceAnalysis>> merge_trace_parts(
    std::span<const std::string> paths, const TraceOptions& options);

/// The same from memory: one trace, for tests and fuzzing.
KSTAR_EXPORT Result<TraceAnalysis> analyze_trace_text(std::string_view text,
                                                      const TraceOptions& options);

/// What exposed communication explains of rates that do not grow in proportion to K. Where the
/// rates say nothing about this K, a note says so.
KSTAR_EXPORT void explain_rates(TraceAnalysis& analysis, std::span<const TraceRate> rates);

/// How many times as long a step takes as that of `ideal`, over the steps that both have.
struct TraceSlowdown {
  std::size_t steps = 0;
  Estimate ratio;
  std::optional<Estimate> active;  ///< of the time in which any rank does something, where known
};
KSTAR_EXPORT Result<TraceSlowdown> compare_with_ideal(const TraceAnalysis& analysis,
                                                      const TraceAnalysis& ideal);

/// A run per step, with the times of every rank, for `analyze`.
KSTAR_EXPORT Study to_study(std::span<const TraceAnalysis> analyses);

}  // namespace kstar
