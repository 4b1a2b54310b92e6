#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kstar/boxed.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/usage.h"

/// Running one job once. Everything that needs the operating system to run and time a job stands
/// behind Executor, so that the loop around it can be tested with exact times.
namespace kstar {

/// A job ready to start: what a launcher makes of a command and a K.
struct LaunchPlan {
  std::vector<std::string> command;  ///< the program and its arguments; no shell
  std::vector<std::pair<std::string, std::string>> variables;  ///< set on top of the caller's
  std::vector<int> cpus;     ///< logical CPUs it may use; empty: as the caller
  std::string folder;        ///< where it runs; empty: where kstar runs
  double time_limit = 0;     ///< seconds after which it is ended; 0: none
  std::string marks_folder;  ///< KSTAR_MARKS for it; empty: none
  double grace = 0;          ///< seconds between SIGTERM and SIGKILL; 0: ExecutorOptions::grace
  bool after_stop = false;   ///< it starts also when kstar was asked to stop: it cleans up
  bool operator==(const LaunchPlan&) const = default;
};

/// What one execution did.
struct Outcome {
  double start = 0;  ///< seconds since 1970-01-01 UTC, taken before the spawn
  bool started = true;
  double clock = 0;  ///< the same moment on CLOCK_MONOTONIC, to align marks with
  double wall = 0;   ///< seconds from before the spawn to after the wait
  std::optional<int> exit_status;
  std::optional<int> signal;  ///< that ended it
  bool timed_out = false;     ///< it was still running at the time limit, and was ended
  bool interrupted = false;   ///< kstar was asked to stop, and ended it or did not start it
  int stragglers = 0;         ///< processes it left behind, which were ended
  std::string trouble;        ///< in words, what keeps this run from being trusted; may be empty
  Usage usage;
  Boxed<HardwareCounts> counters;
  std::string output;        ///< standard output; a line says what is left out of a very long one
  std::string error_output;  ///< standard error, likewise
  std::size_t output_left_out = 0;  ///< bytes, from the middle of `output`
  std::size_t error_left_out = 0;
};

class KSTAR_EXPORT Executor {
 public:
  virtual ~Executor() = default;
  /// An error means that the job could not be started at all; a job that fails is an Outcome.
  Result<Outcome> run(const LaunchPlan& plan) {
    return run_during(plan, [] {});
  }
  /// The same, and `work` is done once while the job runs: what can wait until then does not
  /// lengthen the time between two jobs. Where no job comes to run, it is done all the same.
  virtual Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) = 0;
};

struct ExecutorOptions {
  double grace = 0.5;                               ///< seconds between SIGTERM and SIGKILL
  std::size_t output_head = std::size_t{1} << 20U;  ///< bytes kept of each output's beginning
  std::size_t output_tail = std::size_t{4} << 20U;  ///< and of its end
  /// supervise(): becoming true behind `stop`, it ends everything at once, whatever still runs.
  const std::atomic<bool>* insist = nullptr;
  /// Costs a job about 10 us for its start and 0.2 us for every switch between its threads.
  bool count_migrations = true;
};

/// Real processes, one job at a time. `stop` becoming true ends the job in flight; a signal handler
/// may set it.
///
/// A job sees the environment, folder and limits that kstar had when the executor was made, an
/// empty standard input, no terminal, and every signal at its default. A relative program is looked
/// for in the plan's folder. Whatever a job starts is ended with it: also what forked away, ignores
/// SIGTERM or outlives a kstar that was killed. Processes of another user (sudo) cannot be ended;
/// Outcome::trouble says so.
///
/// A child process of the caller starts the jobs. It is forked here: make the executor early, while
/// the caller is small and has one thread. The caller becomes a subreaper (prctl(2)).
KSTAR_EXPORT std::unique_ptr<Executor> process_executor(const std::atomic<bool>& stop,
                                                        const ExecutorOptions& options = {});

/// From now on this process asks no program about itself (mpirun --version): what only a program
/// could tell is unknown then. For looking at a spec without running anything that it names.
KSTAR_EXPORT void ask_no_programs();

/// Kills what jobs left behind whose kstar was killed with all its processes: this user's processes
/// on this machine that say in their environment (KSTAR_OWNER) that they are such a job's. How
/// many.
KSTAR_EXPORT int end_left_behind();

/// Whether the plan's program is there and may be executed, and its folder is one, as far as can be
/// seen without starting it; the error is the one that run() would give. For the user's sake: to be
/// asked before anything is created.
KSTAR_EXPORT Result<void> check_program_can_start(const LaunchPlan& plan);

/// What supervise() runs; it returns an exit status from 0 to 255.
using Supervised = std::function<int(Executor&)>;

/// The same jobs without a messenger between them and the loop that runs them: `body` itself runs
/// in the child process that starts the jobs, and this process only watches over it. Between two
/// runs nothing waits for another process.
///
/// The body sees a copy of the caller's memory, and what it changes is not seen here: files and its
/// status are its results. Its executor sets its copy of `stop` when `stop` becomes true here; no
/// signal but SIGKILL reaches it. When either process is killed, the other ends what runs; the body
/// dies with the caller at the next run() or in the middle of one. Call it while the caller has
/// one thread. An error means that the body did not come to its end.
KSTAR_EXPORT Result<int> supervise(const Supervised& body, std::atomic<bool>& stop,
                                   const ExecutorOptions& options = {});

}  // namespace kstar
