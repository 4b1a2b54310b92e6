#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/result.h"

/// Launchers: what turns a command and a K into a job ready to start. Each one describes itself.
namespace kstar {

/// In which order workers take cores. Either way a core's second hardware thread is taken only when
/// every core has a worker.
enum class Placement {
  kCompact,  ///< neighbours first: one package is filled before the next, caches are shared
  kSpread    ///< packages in turn: every worker gets as much memory bandwidth as there is
};

struct LaunchRequest {
  std::vector<std::string> command;  ///< with its placeholders replaced
  int workers = 1;                   ///< K
  bool bind = true;                  ///< to cores
  Placement placement = Placement::kCompact;
  bool gpus = false;  ///< workers are GPUs
  /// An hwloc synthetic description ("package:2 core:4 pu:2") to plan for another machine than
  /// this one; empty: this one, as far as this process may use it.
  std::string topology;
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
};

struct Launcher {
  std::string_view name;
  std::string_view summary;  ///< one line
  Result<Launch> (*launch)(const LaunchRequest& request);
};

KSTAR_EXPORT std::span<const Launcher> launchers();

/// An error names the launchers there are.
KSTAR_EXPORT Result<const Launcher*> find_launcher(std::string_view name);

}  // namespace kstar
