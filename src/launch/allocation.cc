#include "launch/allocation.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/number.h"
#include "base/text.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "4(x2),2": four CPUs on two nodes, then two on one.
Result<std::vector<int>> cpus_of_nodes(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t open = item.find("(x");
    const bool repeated = open != item.npos && item.ends_with(')');
    const std::string_view times =
        repeated ? item.substr(open + 2, item.size() - open - 3) : item.substr(item.size());
    const std::optional<std::int64_t> repeats =
        open == item.npos ? std::int64_t{1} : parse_integer(times);
    const std::optional<std::int64_t> count = parse_integer(item.substr(0, open));
    constexpr std::int64_t kMost = 1'000'000;
    if (!count || !repeats || *count < 1 || *repeats < 1 || *count > kMost || *repeats > kMost) {
      return fail(expected("SLURM_JOB_CPUS_PER_NODE", "CPUs of nodes as 4(x2),2", text));
    }
    cpus.insert(cpus.end(), static_cast<std::size_t>(*repeats), static_cast<int>(*count));
  }
  return cpus;
}

}  // namespace

Result<std::optional<Allocation>> slurm_allocation() {
  Allocation allocation;
  allocation.job = variable("SLURM_JOB_ID");
  if (allocation.job.empty()) return std::optional<Allocation>();
  std::string list = variable("SLURM_JOB_NODELIST");
  if (list.empty()) list = variable("SLURM_NODELIST");
  Result<std::vector<std::string>> hosts = expand_node_list(list, "SLURM_JOB_NODELIST");
  if (!hosts) return fail(hosts.error());
  allocation.hosts = std::move(*hosts);
  if (const std::string cpus = variable("SLURM_JOB_CPUS_PER_NODE"); !cpus.empty()) {
    Result<std::vector<int>> counts = cpus_of_nodes(cpus);
    if (!counts) return fail(counts.error());
    allocation.cpus = std::move(*counts);
  }
  return std::optional(std::move(allocation));
}

Result<std::vector<std::string>> nodes_for(const LaunchRequest& request) {
  std::vector<std::string> hosts = request.hosts;
  std::string_view whose = "--hosts names";
  if (hosts.empty()) {
    Result<std::optional<Allocation>> allocation = slurm_allocation();
    if (!allocation) return fail(allocation.error());
    if (*allocation) {
      hosts = (*allocation)->hosts;
      whose = "the allocation has";
    } else {
      hosts = {own_host_name()};
      whose = "without --hosts or an allocation there is";
    }
  }
  const auto wanted = static_cast<std::size_t>(request.shape.nodes);
  if (hosts.size() < wanted) {
    return fail(expected("--workers",
                         fmt::format("at most {} node{}: {} no more", hosts.size(),
                                     hosts.size() == 1 ? "" : "s", whose),
                         shape_text(request.shape),
                         "--hosts a,b,c names the nodes to run on; salloc or sbatch get them"));
  }
  hosts.resize(wanted);
  return hosts;
}

}  // namespace kstar
