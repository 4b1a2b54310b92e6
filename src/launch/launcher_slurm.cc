// Inside an allocation: every run is a step of it, on its first nodes, so that the hosts of a run
// are known before it starts.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "exec/program.h"
#include "launch/launchers.h"
#include "launch/slurm_client.h"

namespace kstar {

namespace {

using Words = std::vector<std::string>;

Result<Allocation> own_allocation() {
  Result<std::optional<Allocation>> allocation = slurm_allocation();
  if (!allocation) return fail(allocation.error());
  if (!*allocation) {
    return fail({.where = "--launcher",
                 .message = "slurm runs steps inside an allocation, but SLURM_JOB_ID is not set",
                 .hint = "start kstar under salloc or sbatch, or use --submit"});
  }
  return std::move(**allocation);
}

bool has_word(const Words& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(any.begin(), any.end(), word) != any.end();
  });
}

/// Slurm would let the step wait, or refuse it with words of its own in the middle of the study.
Result<void> check_cpus(const LaunchRequest& request, const Allocation& allocation) {
  if (has_word(request.options, {"-O", "--overcommit"})) return {};
  for (std::size_t i = 0; i < allocation.cpus.size() && i < allocation.hosts.size(); ++i) {
    if (std::find(request.hosts.begin(), request.hosts.end(), allocation.hosts[i]) ==
        request.hosts.end()) {
      continue;
    }
    if (request.shape.on_a_node() <= allocation.cpus[i]) continue;
    return fail(expected("--workers",
                         fmt::format("at most {} CPUs per node, as the allocation has on {}",
                                     allocation.cpus[i], allocation.hosts[i]),
                         fmt::format("{}: {} ranks x {} threads", shape_text(request.shape),
                                     request.shape.ranks, request.shape.threads),
                         "--launcher-options --overcommit lets ranks share CPUs"));
  }
  return {};
}

Result<void> check_hosts(const Words& hosts, const Allocation& allocation) {
  for (const std::string& host : hosts) {
    const auto& own = allocation.hosts;
    if (std::find(own.begin(), own.end(), host) != own.end()) continue;
    return fail(expected(
        "--hosts", fmt::format("nodes of job {}: {}", allocation.job, fmt::join(own, ",")), host));
  }
  return {};
}

}  // namespace

/// "srun: error: Unable to create step for job 12: Unable to contact slurm controller (connect
/// failure)". A controller that was away when the step before ended has not given back its memory
/// yet, and says so: "Memory required by task is not available".
bool had_no_controller(const Outcome& outcome) {
  if (outcome.exit_status.value_or(0) == 0) return false;
  for (const std::string_view line : split(outcome.error_output, '\n')) {
    const bool asks = line.find(": error: Unable to confirm allocation") != line.npos ||
                      line.find(": error: Unable to create step") != line.npos;
    const bool taken = line.find("Memory required by task is not available") != line.npos;
    if (asks && (taken || is_passing(line))) return true;
  }
  return false;
}

Result<Words> srun_words(const LaunchRequest& request, Words& hosts) {
  KSTAR_TRY(const Allocation allocation, own_allocation());
  KSTAR_TRY(Words nodes, nodes_for(request));
  KSTAR_CHECK(check_hosts(nodes, allocation));
  LaunchRequest placed = request;
  placed.hosts = nodes;
  KSTAR_CHECK(check_cpus(placed, allocation));
  std::string program = find_program(request.program.empty() ? "srun" : request.program);
  if (program.empty()) {
    return fail(expected("--launcher-program", "srun in PATH, or another executable",
                         request.program.empty() ? "srun" : request.program));
  }
  const Shape& shape = request.shape;
  hosts = std::move(nodes);
  return Words{std::move(program),
               "-N",
               std::to_string(shape.nodes),
               "-n",
               std::to_string(shape.tasks()),
               fmt::format("--ntasks-per-node={}", shape.ranks),
               "-c",
               std::to_string(shape.threads),
               "-w",
               fmt::format("{}", fmt::join(hosts, ",")),
               "--export=ALL"};
}

Result<Launch> launch_with_slurm(const LaunchRequest& request) {
  Launch launch;
  KSTAR_TRY(Words words, srun_words(request, launch.hosts));
  launch.plan.command = std::move(words);
  const bool told =
      std::any_of(request.options.begin(), request.options.end(),
                  [](const std::string& word) { return word.starts_with("--cpu-bind"); });
  if (told) {
    launch.binding = "srun: set by --launcher-options";
  } else {
    const bool binds = request.bind && !has_word(request.options, {"-O", "--overcommit"});
    launch.plan.command.emplace_back(binds ? "--cpu-bind=cores" : "--cpu-bind=none");
    launch.binding = "srun " + launch.plan.command.back();
  }
  if (request.gpus) {
    launch.plan.command.push_back(fmt::format("--gpus-per-node={}", request.shape.on_a_node()));
  }
  for (const Words* more : {&request.options, &request.command}) {
    launch.plan.command.insert(launch.plan.command.end(), more->begin(), more->end());
  }
  launch.plan.variables = {{"OMP_NUM_THREADS", std::to_string(request.shape.threads)}};
  launch.plan.grace = kRemoteGrace;
  launch.never_began = had_no_controller;
  return launch;
}

}  // namespace kstar
