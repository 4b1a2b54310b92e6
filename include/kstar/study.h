#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/boxed.h"
#include "kstar/export.h"
#include "kstar/regime.h"
#include "kstar/shared_text.h"
#include "kstar/small_optional.h"
#include "kstar/study_inside.h"
#include "kstar/study_note.h"
#include "kstar/study_source.h"
#include "kstar/usage.h"

/// The Study: every raw sample of a scaling question, with its provenance. Measuring and importing
/// fill it, analysis reads it, and it depends on neither. kstar/study_file.h reads and writes it;
/// docs/study-format.md describes the file key by key.
///
/// Three rules hold for every field. An absent value is absent (an empty optional, text or list),
/// never 0 or NaN. Times are seconds and sizes are bytes. `extra` holds the keys that this version
/// does not know, as the text of one JSON object ("" when there are none): they are written back.
namespace kstar {

/// The newest schema this library reads, and the one it writes.
inline constexpr int kStudySchema = 1;

/// The problem at one K, so that a change of problem between points can be seen.
struct Workload {
  /// The unit of work where a file has rates and does not say of what.
  static constexpr std::string_view kUnitOfRates = "units of the rate";

  std::optional<int> workers;         ///< the K it describes; absent: every K that has no entry
  std::optional<double> size;         ///< the size of the whole problem, in `unit`
  std::string unit;                   ///< what `size` counts: rows, cells, tokens
  std::optional<double> batch;        ///< the global batch, over all workers
  std::optional<std::int64_t> steps;  ///< how many steps one run makes
  std::string stopping;               ///< when a run ends, if not after `steps`
  Settings settings;                  ///< of the program, by name: precision, flags, model
  std::string extra;
  bool operator==(const Workload&) const = default;
};

/// Which program the times of one worker belong to.
enum class BaselineKind : std::uint8_t {
  kFastestSingle,   ///< the fastest correct single-worker program
  kParallelWithOne  ///< the parallel program, started with one worker
};

/// What exactly runs as T(1).
struct Baseline {
  std::optional<BaselineKind> kind;
  std::vector<std::string> command;  ///< the program and its arguments, where it is one of its own
  std::string text;                  ///< in words: precision, libraries, what is switched off
  std::string extra;
  bool operator==(const Baseline&) const = default;
};

/// How the times were taken.
struct Protocol {
  std::optional<int> warm_up_runs;    ///< runs at each K that are marked as warm-up
  std::optional<int> warm_up_steps;   ///< first steps of each run that are marked as warm-up
  std::string setup;                  ///< what is excluded as setup: process start, data loading
  std::string setup_method;           ///< how: marks in the output, a first step, not at all
  std::string order;                  ///< the order of the runs: shuffled blocks, ascending K
  std::optional<std::uint64_t> seed;  ///< of that order
  std::string stopping;               ///< when repeating stops
  std::optional<int> runs;            ///< at each K, where their number is fixed
  /// Every K ran the same command line: how many workers there were, only a variable said.
  bool same_command = false;
  std::optional<double> time_limit;     ///< seconds after which a run is killed
  std::optional<int> interleaved_with;  ///< so many other studies in the same blocks
  std::string extra;
  bool operator==(const Protocol&) const = default;
};

/// One machine.
struct Host {
  std::string name;
  std::string cpu;  ///< the model's name
  std::optional<int> sockets;
  std::optional<int> cores;               ///< physical cores
  std::optional<int> threads;             ///< hardware threads
  std::optional<std::int64_t> memory;     ///< bytes
  std::vector<std::string> accelerators;  ///< one entry a device
  std::string kernel;
  std::string extra;
  bool operator==(const Host&) const = default;
};

/// Where it ran. Only variables of an allow-list are recorded: the environment holds secrets.
struct Environment {
  std::vector<Host> hosts;
  std::string binding;                           ///< how workers are bound to cores
  std::optional<int> usable_cpus;                ///< of the machine, where a job may not use all
  std::optional<double> cpu_quota;               ///< CPU seconds per second that it may use
  std::map<std::string, std::string> versions;   ///< of MPI, CUDA, compilers, by name
  std::map<std::string, std::string> variables;  ///< of the environment, by name
  std::string extra;
  bool operator==(const Environment&) const = default;
};

/// The first line of the file: what was asked, of what, and how.
struct StudyHeader {
  int schema = kStudySchema;         ///< of the file it came from; a new file gets kStudySchema
  std::string writer;                ///< the program that made the file, with its version
  std::string title;                 ///< one line for people
  std::vector<std::string> command;  ///< the program and its arguments, {K} where K goes
  std::string launcher;              ///< what starts K workers: local, mpirun, srun, or a template
  std::optional<Regime> regime;      ///< absent: not declared
  std::vector<Workload> workload;
  Baseline baseline;
  Protocol protocol;
  Environment environment;
  Source source;
  TimeKind time = TimeKind::kRun;
  std::vector<ChangedSetting> changes;  ///< with K, in an imported file
  Mlperf mlperf;
  std::string spec;  ///< what was to be measured, as a study.toml
  std::string extra;
  bool operator==(const StudyHeader&) const = default;
};

/// Which of a study's two programs a run belongs to.
enum class Role : std::uint8_t {
  kParallel,  ///< the program whose scaling is asked for
  kBaseline   ///< the single-worker program of StudyHeader::baseline
};

/// Arrays over the workers of one run, each as long as there are workers it is known for, or empty.
struct PerWorker {
  std::vector<std::string> host;
  std::vector<double> compute;      ///< seconds
  std::vector<double> communicate;  ///< seconds
  std::vector<double> wait;         ///< seconds
  std::vector<double> load;         ///< seconds of loading data
  std::vector<double> work;         ///< work done, in the workload's unit
  std::vector<double> flops;        ///< floating-point operations done
  std::vector<double> bytes;        ///< bytes moved to and from memory
  std::string extra;
  bool operator==(const PerWorker&) const = default;
};

/// One execution of the job. A failed run is data, too.
struct Run {
  int workers = 1;             ///< K
  SmallOptional<int> nodes;    ///< where K = nodes x ranks x threads has more than one factor
  SmallOptional<int> ranks;    ///< a node
  SmallOptional<int> threads;  ///< a rank
  SmallOptional<int> order;    ///< its place among the runs of its session, from 0
  SmallOptional<int> block;    ///< runs of one block (of one session) were made near in time
  Role role = Role::kParallel;
  bool warm_up = false;    ///< the whole run is warm-up
  bool timed_out = false;  ///< it was killed at the time limit
  bool lost = false;       ///< the cluster lost the job, and it is repeated: not a failure of its K
  SmallOptional<int> exit_status;
  SmallOptional<int> signal;         ///< that ended it
  SmallOptional<int> warm_up_steps;  ///< how many first entries of `steps` are warm-up
  SharedText session;                ///< an allocation, a boot, a day: what differs between them
  std::vector<std::string> hosts;    ///< the nodes it was on, in rank order, each once
  SmallOptional<double> start;       ///< seconds since 1970-01-01 UTC
  SmallOptional<double> wall;        ///< seconds from start to end
  SmallOptional<double> setup;       ///< seconds of `wall` that are setup
  std::vector<double> steps;         ///< seconds of each step, in order, warm-up included
  /// How much the whole run did, in the workload's unit, where that differs from run to run: the
  /// samples until a training has converged.
  SmallOptional<double> work;
  /// Seconds of `wall`, behind the setup, in which none of `work` is done: evaluations,
  /// checkpoints.
  SmallOptional<double> fixed;
  Usage usage;
  Boxed<HardwareCounts> counters;
  /// Why it counts as failed although it ended well (no time, a wrong answer), or did not start.
  SharedText failure;
  SharedText output;  ///< the end of what it printed, when it failed
  Boxed<PerWorker> per_worker;
  Boxed<Inside> inside;  ///< it was profiled, which costs time: no part of T(K)
  SharedText job;        ///< of a batch system, by its id
  Boxed<RunClaim> claim;
  Boxed<std::map<std::string, double>> factors;  ///< from a tool, by the names of POP
  Boxed<Settings> settings;                      ///< if they differ from run to run
  SmallOptional<double> init;  ///< seconds from the program's start to that of `wall` (MLPerf)
  SharedText extra;
  bool operator==(const Run&) const = default;
};

/// The whole. The order among runs and among notes is that of the file.
struct Study {
  StudyHeader header;
  std::vector<Run> runs;
  std::vector<Note> notes;
  std::vector<std::string> unknown;  ///< records of kinds not known here, each one JSON text
  std::string name;                  ///< the file it came from, for messages; not written
};

KSTAR_EXPORT std::string_view name_of(BaselineKind kind);
KSTAR_EXPORT std::string_view name_of(Role role);
KSTAR_EXPORT std::string_view name_of(Severity severity);
KSTAR_EXPORT std::string_view name_of(TimeKind kind);
KSTAR_EXPORT std::string_view name_of(SourceKind kind);

/// The run's T in seconds: the mean of its steps behind the warm-up steps or, where no steps are
/// known, wall less setup. Absent when neither is known, when every step is warm-up, or when setup
/// exceeds wall. It does not ask whether the run failed or is warm-up as a whole.
KSTAR_EXPORT std::optional<double> steady_time(const Run& run);

/// A signal, the time limit or an exit status other than 0 ended it, or it says why it failed all
/// the same. Unknown is not failed.
KSTAR_EXPORT bool failed(const Run& run);

/// Why it failed, for people: "ended by signal 9".
KSTAR_EXPORT std::string failure_text(const Run& run);

/// It was a run of its own, to look inside the program. It says nothing about T(K).
KSTAR_EXPORT bool is_profiled(const Run& run);

/// Whether its T is one of those that T(K) is made of: it has one, did not fail, is no warm-up and
/// was not profiled.
KSTAR_EXPORT bool counts(const Run& run);

/// What a newer kstar or another program wrote into the header, by name: as JSON, or as the text
/// that it is.
KSTAR_EXPORT std::map<std::string, std::string> unknown_keys(const StudyHeader& header);

/// The entry for K, else the entry for every K, else null.
KSTAR_EXPORT const Workload* workload_at(const StudyHeader& header, int workers);

}  // namespace kstar
