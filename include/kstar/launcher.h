#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/shape.h"

/// Launchers: what turns a command and a K into a job ready to start. Each one describes itself.
namespace kstar {

struct LaunchRequest {
  std::vector<std::string> command;  ///< with its placeholders replaced
  Shape shape;                       ///< K = nodes x ranks x threads
  bool bind = true;                  ///< to cores
  Placement placement = Placement::kCompact;
  bool gpus = false;  ///< workers are GPUs
  /// An hwloc synthetic description ("package:2 core:4 pu:2") to plan for another machine than
  /// this one; empty: this one, as far as this process may use it.
  std::string topology;
  /// The nodes to run on, the first ones first; empty: this machine, or those of the allocation.
  std::vector<std::string> hosts;
  std::vector<std::string> options;  ///< words for mpirun, srun or torchrun, passed on as they are
  std::string program;               ///< instead of the launcher's own; empty: found in PATH
  /// What is set for the job beside what the launcher sets, and wins over it. A launcher with other
  /// nodes passes these on to them; the caller adds them to the plan.
  std::vector<std::pair<std::string, std::string>> variables;
  bool marks = false;     ///< KSTAR_MARKS will be set, and must reach every rank
  bool baseline = false;  ///< the single-worker program: it needs no mpirun
};

/// A job ready to start, and what the Study says about how it was started.
struct Launch {
  LaunchPlan plan;
  std::string binding;          ///< for Environment::binding: "compact: CPUs 0,2 (2 cores)"
  bool oversubscribed = false;  ///< more workers than hardware threads that may be used
  bool shares_cores = false;    ///< two workers or more on a core, each with a hardware thread
  std::optional<int> nodes;     ///< for Run, where K = nodes x ranks x threads has factors
  std::optional<int> ranks;
  std::optional<int> threads;
  std::vector<std::string> hosts;  ///< the nodes it runs on, in rank order, where they are known
  std::map<std::string, std::string> versions;  ///< for Environment::versions: "mpi"
  std::vector<std::string> warnings;            ///< what the user must know before it runs
  /// Whether the launcher failed before the program began, for a reason that passes: such a run is
  /// none, and is tried again. Empty: it never does.
  std::function<bool(const Outcome& outcome)> never_began;
};

struct Launcher {
  std::string name;
  std::string summary;  ///< one line
  std::function<Result<Launch>(const LaunchRequest& request)> launch;
  std::string from;  ///< the file that describes it; empty: built in
  /// Its workers are threads of one process on this machine; those of any other are ranks, each a
  /// process of its own, here or elsewhere.
  bool starts_threads = false;
};

/// Those that are built in.
KSTAR_EXPORT const std::vector<Launcher>& launchers();

/// Whether `name` starts threads and not ranks: see Launcher::starts_threads.
KSTAR_EXPORT bool starts_threads(std::string_view name);

/// And those that the user describes in `file`; empty: in the file of KSTAR_LAUNCHERS, else
/// ~/.config/kstar/launchers.toml where there is one.
KSTAR_EXPORT Result<std::vector<Launcher>> all_launchers(const std::string& file = "");

/// An error names the launchers there are.
KSTAR_EXPORT Result<Launcher> find_launcher(std::string_view name, const std::string& file = "");

}  // namespace kstar
