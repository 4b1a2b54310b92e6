#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/system_files.h"
#include "host/cgroup_limits.h"
#include "host/topology.h"
#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "launch/launchers.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

UsualWorkers up_to(std::size_t most, std::string reason) {
  UsualWorkers usual{.workers = {}, .reason = std::move(reason)};
  const auto last = static_cast<std::int64_t>(std::max<std::size_t>(most, 1));
  for (std::int64_t k = 1; k < last; k *= 2) usual.workers.push_back(k);
  usual.workers.push_back(last);
  return usual;
}

/// Those that this process may use, by its binding and by the quota of its control group.
Result<UsualWorkers> cores_here() {
  KSTAR_TRY(const std::vector<HardwareThread> threads, hardware_threads());
  const auto cores = static_cast<std::size_t>(std::count_if(
      threads.begin(), threads.end(), [](const HardwareThread& one) { return one.sibling == 0; }));
  const double quota = cgroup_limits(SystemFiles("/")).cpus.value_or(static_cast<double>(cores));
  if (std::ceil(quota) >= static_cast<double>(cores)) {
    return up_to(cores, fmt::format("up to the {} of this machine", count_text(cores, "core")));
  }
  return up_to(static_cast<std::size_t>(std::ceil(quota)),
               fmt::format("up to the {} CPUs that the control group allows", shortest(quota)));
}

Result<UsualWorkers> gpus_here() {
  const std::size_t count = visible_gpus().size();
  if (count == 0) return fail({.where = "--gpus", .message = "this machine has no GPU"});
  return up_to(count, fmt::format("up to the {} of this machine", count_text(count, "GPU")));
}

/// A number in a variable of the environment; 0: not there.
std::size_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, parse_integer(text == nullptr ? "" : text).value_or(0)));
}

/// Ranks: one per task of the allocation where it has tasks, else `per_node` or one per node.
Result<UsualWorkers> ranks_of(const MeasureSpec& spec) {
  const std::size_t each = spec.per_node > 0 ? static_cast<std::size_t>(spec.per_node) : 1;
  if (!spec.hosts.empty()) {
    KSTAR_TRY(const std::vector<std::string> hosts, resolve_hosts(spec.hosts));
    return up_to(hosts.size() * each,
                 fmt::format("up to the {} of --hosts", count_text(hosts.size(), "host")));
  }
  KSTAR_TRY(const std::optional<Allocation> allocation, slurm_allocation());
  if (!allocation) return cores_here();
  const std::size_t tasks = number_in("SLURM_NTASKS");
  if (tasks > 1 && spec.per_node == 0) {
    return up_to(tasks, fmt::format("up to the {} of the allocation", count_text(tasks, "task")));
  }
  const std::size_t nodes = allocation->hosts.size();
  return up_to(nodes * each,
               fmt::format("up to the {} of the allocation", count_text(nodes, "node")));
}

}  // namespace

Result<UsualWorkers> usual_workers(const MeasureSpec& spec) {
  if (spec.submit) {
    return fail({.where = "--workers",
                 .message = "expected worker counts: jobs run elsewhere",
                 .hint = "for example --workers 1,2,4 or --workers 1..64"});
  }
  if (!starts_threads(spec.launcher)) return ranks_of(spec);
  return spec.gpus ? gpus_here() : cores_here();
}

}  // namespace kstar
