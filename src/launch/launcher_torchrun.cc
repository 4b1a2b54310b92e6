// torchrun on this machine, or one on every node of a Slurm allocation.
#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/program.h"
#include "launch/launchers.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

using Words = std::vector<std::string>;

void append(Words& to, const Words& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// torchrun, or the module it is made of where there is no such file.
Result<Words> torchrun_words(const LaunchRequest& request) {
  if (!request.program.empty()) {
    std::string file = find_program(request.program);
    if (!file.empty()) return Words{std::move(file)};
    return fail(expected("--launcher-program", "an executable program", request.program));
  }
  if (std::string file = find_program("torchrun"); !file.empty()) return Words{std::move(file)};
  const Words module = {"python3", "-m", "torch.distributed.run"};
  if (!may_ask_programs()) return module;
  if (!ask_program({"python3", "-c", "import torch; print(torch.__version__)"}).empty()) {
    return module;
  }
  return fail({.where = "--launcher",
               .message = "expected torchrun in PATH, or torch in python3, found neither",
               .hint = "activate the environment with PyTorch, or use --launcher-program FILE"});
}

/// The Python that torchrun's first line names.
std::string python_of(const Words& torchrun) {
  constexpr std::size_t kSmall = std::size_t{1} << 16U;
  if (torchrun.size() > 1) return torchrun[0];
  const Result<FileText> text = read_file(torchrun[0], kSmall);
  if (!text || !text->view().starts_with("#!")) return "python3";
  std::string_view line = trim(text->view().substr(2, text->view().find('\n') - 2));
  for (const std::string_view env : {"/usr/bin/env ", "/bin/env "}) {
    if (line.starts_with(env)) line.remove_prefix(env.size());
  }
  return std::string(line.substr(0, line.find(' ')));
}

/// torchrun starts what it is given with Python, unless told that it is a program of its own.
Words job_words(const LaunchRequest& request) {
  Words words = request.options;
  const bool script = !request.command.empty() && request.command[0].ends_with(".py");
  if (!script) words.emplace_back("--no_python");
  append(words, request.command);
  return words;
}

/// Where the nodes meet. Jobs of one node at the same time must not meet each other's.
std::string rendezvous(const Allocation& allocation, const Shape& shape) {
  constexpr std::int64_t kFirstPort = 20000, kPorts = 10000, kStep = 37;
  const std::int64_t job = parse_integer(allocation.job).value_or(0);
  return fmt::format("{}:{}", allocation.hosts[0],
                     kFirstPort + (job * kStep + shape.workers()) % kPorts);
}

/// Only Slurm starts something on the other nodes: an mpirun would take the place of torchrun, and
/// an ssh of our own would leave processes behind.
Result<Launch> launch_on_nodes(const LaunchRequest& request, const Words& torchrun) {
  Result<std::optional<Allocation>> allocation = slurm_allocation();
  if (!allocation) return fail(allocation.error());
  if (!*allocation) {
    return fail({.where = "--launcher",
                 .message = fmt::format(
                     "torchrun on {} nodes needs a Slurm allocation, but SLURM_JOB_ID is not set",
                     request.shape.nodes),
                 .hint = "start kstar under salloc or sbatch, or define a custom launcher (kstar "
                         "launchers) that starts torchrun on every node"});
  }
  LaunchRequest agents = request;
  agents.program.clear();
  agents.options.clear();
  agents.shape = {.nodes = request.shape.nodes, .ranks = 1, .threads = request.shape.on_a_node()};
  Launch launch;
  Result<Words> srun = srun_words(agents, launch.hosts);
  if (!srun) return fail(srun.error());
  (*allocation)->hosts = launch.hosts;
  launch.plan.command = std::move(*srun);
  launch.never_began = had_no_controller;
  if (request.gpus) {
    launch.plan.command.push_back(fmt::format("--gpus-per-node={}", request.shape.on_a_node()));
  }
  append(launch.plan.command, torchrun);
  append(launch.plan.command,
         {"--nnodes", std::to_string(request.shape.nodes), "--nproc_per_node",
          std::to_string(request.shape.ranks), "--rdzv_backend", "c10d", "--rdzv_endpoint",
          rendezvous(**allocation, request.shape), "--rdzv_id",
          fmt::format("kstar-{}-{}", (*allocation)->job, request.shape.workers())});
  launch.plan.variables = {{"OMP_NUM_THREADS", std::to_string(request.shape.threads)}};
  launch.plan.grace = kRemoteGrace;
  launch.binding =
      fmt::format("srun -c {}: the ranks of a node share its CPUs, torchrun does not bind them",
                  agents.shape.threads);
  return launch;
}

/// The ranks share the CPUs, or see the GPUs, of K workers.
Result<Launch> launch_here(const LaunchRequest& request, const Words& torchrun) {
  Result<Launch> launch = launch_locally(request);
  if (!launch) return launch;
  launch->plan.command = torchrun;
  append(launch->plan.command, {"--standalone", "--nnodes", "1", "--nproc_per_node",
                                std::to_string(request.shape.ranks)});
  if (request.gpus) {
    launch->plan.variables.emplace_back("OMP_NUM_THREADS", std::to_string(request.shape.threads));
  }
  launch->hosts = {own_host_name()};
  return launch;
}

}  // namespace

Result<Launch> launch_with_torchrun(const LaunchRequest& request) {
  if (request.baseline) return launch_locally(request);
  KSTAR_TRY(const Words torchrun, torchrun_words(request));
  Result<Launch> launch =
      request.shape.nodes > 1 ? launch_on_nodes(request, torchrun) : launch_here(request, torchrun);
  if (!launch) return launch;
  append(launch->plan.command, job_words(request));
  const std::string version =
      ask_program({python_of(torchrun), "-c", "import torch; print(torch.__version__)"});
  if (!version.empty()) launch->versions["torch"] = trim(version);
  return launch;
}

}  // namespace kstar
