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

/// Prints the version of PyTorch, then why its torchrun cannot start a job with these options: a
/// line each, which may be empty. PyTorch 1.13 came before Python 3.11: under it torchrun looks for
/// 0, the default of --redirects and --tee, among the members of a flag, and finds None.
constexpr const char* kAboutTorch = R"(
import platform, sys
version = problem = ''
try:
    import torch, torch.distributed.run as run
    version = torch.__version__
    options = run.get_args_parser().parse_args([*sys.argv[1:], 'job'])
    if None in map(run.Std.from_str, [options.redirects, options.tee]):
        problem = ('it cannot read its defaults of --redirects and --tee under Python '
                   + platform.python_version())
except ModuleNotFoundError as missing:
    problem = str(missing)
except Exception:
    pass  # a torchrun of another make: nothing is known against it
print(version, problem, sep='\n')
)";

struct AboutTorch {
  std::string version;  ///< empty: not known
  std::string problem;
};

AboutTorch about_torch(const std::string& python, const LaunchRequest& request) {
  if (python.empty()) return {};
  Words question = {python, "-c", kAboutTorch};
  append(question, request.options);
  const std::string answer = ask_program(question);
  const std::vector<std::string_view> lines = split(answer, '\n');
  if (lines.size() < 3) return {};
  return {.version = printable(lines[lines.size() - 3]),  // behind what an import may have printed
          .problem = printable(lines[lines.size() - 2])};
}

constexpr const char* kWhereTorchIs =
    "activate the environment with PyTorch, or use --launcher-program FILE";

/// torchrun, or the module it is made of where there is no such file.
Result<Words> torchrun_words(const LaunchRequest& request) {
  if (!request.program.empty()) {
    std::string file = find_program(request.program);
    if (!file.empty()) return Words{std::move(file)};
    return fail(expected("--launcher-program", "an executable program", request.program));
  }
  if (std::string file = find_program("torchrun"); !file.empty()) return Words{std::move(file)};
  const Words module = {"python3", "-m", "torch.distributed.run"};
  if (!may_ask_programs() || !about_torch(module[0], request).version.empty()) return module;
  return fail({.where = "--launcher",
               .message = "expected torchrun in PATH, or torch in python3, found neither",
               .hint = kWhereTorchIs});
}

/// The Python that torchrun's first line names; empty where that is another program.
std::string python_of(const Words& torchrun) {
  constexpr std::size_t kSmall = std::size_t{1} << 16U;
  if (torchrun.size() > 1) return torchrun[0];
  const Result<FileText> text = read_file(torchrun[0], kSmall);
  if (!text || !text->view().starts_with("#!")) return "";
  std::string_view line = trim(text->view().substr(2, text->view().find('\n') - 2));
  for (const std::string_view env : {"/usr/bin/env ", "/bin/env "}) {
    if (line.starts_with(env)) line.remove_prefix(env.size());
  }
  const std::string_view program = line.substr(0, line.find(' '));
  const bool is_python = program.substr(program.rfind('/') + 1).starts_with("python");
  return is_python ? std::string(program) : "";
}

/// A torchrun that fails by itself, whatever the job is, is refused before anything runs.
Result<void> check_torch(const AboutTorch& torch, const Words& torchrun) {
  if (torch.problem.empty()) return {};
  if (!torch.version.empty()) {
    return fail({.where = "--launcher",
                 .message = fmt::format("torchrun of PyTorch {} cannot start a job: {}",
                                        torch.version, torch.problem),
                 .hint = "set both with --launcher-options '--redirects 0:2 --tee 0:2', or use a "
                         "newer PyTorch or a custom launcher (kstar launchers)"});
  }
  Words help = torchrun;  // its file may know where to find what its Python does not
  help.emplace_back("--help");
  if (!ask_program(help).empty()) return {};
  return fail({.where = "--launcher",
               .message = fmt::format("{} cannot import PyTorch: {}", printable(torchrun[0]),
                                      torch.problem),
               .hint = kWhereTorchIs});
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
  const AboutTorch torch = about_torch(python_of(torchrun), request);
  KSTAR_CHECK(check_torch(torch, torchrun));
  Result<Launch> launch =
      request.shape.nodes > 1 ? launch_on_nodes(request, torchrun) : launch_here(request, torchrun);
  if (!launch) return launch;
  // Seconds between its looks at the ranks: before PyTorch 2.4 a job ended with one of every 5.
  append(launch->plan.command, {"--monitor_interval", "0.1"});
  append(launch->plan.command, job_words(request));
  if (!torch.version.empty()) launch->versions["torch"] = torch.version;
  return launch;
}

}  // namespace kstar
