#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// Running one job once. Everything that needs the operating system to run and time a job stands
/// behind Executor, so that the loop around it can be tested with exact times.
namespace kstar {

/// A job ready to start: what a launcher makes of a command and a K.
struct LaunchPlan {
  std::vector<std::string> command;  ///< the program and its arguments; no shell
  std::vector<std::pair<std::string, std::string>> variables;  ///< set on top of the caller's
  std::vector<int> cpus;       ///< logical CPUs it may use; empty: as the caller
  std::string folder;          ///< where it runs; empty: where kstar runs
  double time_limit = 0;       ///< seconds after which it is ended; 0: none
  std::string marks_folder;    ///< KSTAR_MARKS for it; empty: none
};

/// What one execution did.
struct Outcome {
  double start = 0;      ///< seconds since 1970-01-01 UTC, taken before the spawn
  double clock = 0;      ///< the same moment on the monotonic clock, to align marks with
  double wall = 0;       ///< seconds from before the spawn to after the wait
  std::optional<int> exit_status;
  std::optional<int> signal;  ///< that ended it
  bool timed_out = false;
  bool interrupted = false;   ///< kstar was asked to stop, and ended it
  int stragglers = 0;         ///< processes it left behind, which were ended
  double cpu_user = 0;        ///< seconds, over all its processes that were waited for
  double cpu_system = 0;
  std::int64_t peak_memory = 0;  ///< bytes, of the largest process
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::string output;         ///< standard output; the middle is left out when it is very long
  std::string error_output;   ///< standard error, likewise
};

class KSTAR_EXPORT Executor {
 public:
  virtual ~Executor() = default;
  /// An error means that the job could not be started at all; a job that fails is an Outcome.
  virtual Result<Outcome> run(const LaunchPlan& plan) = 0;
};

/// Real processes. Whatever a job starts is ended with it: also what forked away, ignores SIGTERM
/// or outlives a kstar that was killed. `stop` becoming true ends the job in flight.
KSTAR_EXPORT std::unique_ptr<Executor> process_executor(const std::atomic<bool>& stop);

}  // namespace kstar
