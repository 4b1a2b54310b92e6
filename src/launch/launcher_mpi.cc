// mpirun or mpiexec of Open MPI (4 and 5) and of MPICH and its kin (Hydra): their options have
// nothing in common but -n, so that they are told apart by what --version prints.
#include "launch/launcher_mpi.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/program.h"
#include "host/topology.h"
#include "launch/launchers.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

/// The first word behind `mark`; empty when it is not there.
std::string word_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + mark.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return printable(rest.substr(0, rest.find_first_of(" \t\r\n,")));
}

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Everything about one launch that the two kinds of mpirun are told, each in its own words.
struct MpiJob {
  const LaunchRequest& request;
  MpiVersion version;
  Words hosts;          ///< of the job; the program is told them where `remote`
  bool remote = false;  ///< on hosts that were named, or that an allocation has
  Variables variables;  ///< that must reach every rank
  Launch launch;        ///< so far

  Words& words() { return launch.plan.command; }
  void add(std::initializer_list<std::string> words) {
    launch.plan.command.insert(launch.plan.command.end(), words);
  }
  bool binds() const { return request.bind && !request.gpus && !launch.oversubscribed; }
};

Result<std::string> mpi_program(const LaunchRequest& request) {
  if (!request.program.empty()) {
    std::string file = find_program(request.program);
    if (!file.empty()) return file;
    return fail(expected("--launcher-program", "an executable program", request.program));
  }
  for (const char* name : {"mpirun", "mpiexec"}) {
    if (std::string file = find_program(name); !file.empty()) return file;
  }
  return fail({.where = "--launcher",
               .message = "expected mpirun or mpiexec in PATH for mpi, found neither",
               .hint = "load the MPI module, or use --launcher-program FILE"});
}

/// Whether the workers of one node fit into a node like this machine.
Result<void> look_at_node(const LaunchRequest& request, Launch& launch) {
  KSTAR_TRY(const auto threads, hardware_threads(request.topology));
  const int workers = request.shape.on_a_node();
  const auto all = static_cast<int>(threads.size());
  const auto cores = std::count_if(threads.begin(), threads.end(),
                                   [](const HardwareThread& t) { return t.sibling == 0; });
  launch.oversubscribed = workers > all;
  launch.shares_cores = workers > cores;
  if (!launch.oversubscribed) return {};
  launch.warnings.push_back(fmt::format(
      "oversubscribed: {} workers on the {} CPUs of a node; they share CPUs and are not bound",
      workers, all));
  return {};
}

void say_open_mpi(MpiJob& job) {
  const Shape& shape = job.request.shape;
  if (::geteuid() == 0) job.add({"--allow-run-as-root"});  // it refuses to run for root otherwise
  job.add({"-np", std::to_string(shape.tasks())});
  if (job.remote) {
    Words slots;
    for (const std::string& host : job.hosts) {
      slots.push_back(fmt::format("{}:{}", host, shape.ranks));
    }
    job.add({"--host", fmt::format("{}", fmt::join(slots, ","))});
  }
  std::string mapping = fmt::format("ppr:{}:node", shape.ranks);
  if (job.binds()) mapping += fmt::format(":PE={}", shape.threads);
  const bool renamed = job.version.major >= 5;  // what were options are qualifiers now
  if (job.launch.oversubscribed && renamed) mapping += ":OVERSUBSCRIBE";
  if (job.binds() && job.launch.shares_cores) {
    if (renamed) {
      mapping += ":HWTCPUS";
    } else {
      job.add({"--use-hwthread-cpus"});
    }
  }
  const char* unit = job.launch.shares_cores ? "hwthread" : "core";
  job.add({"--map-by", mapping, "--bind-to", job.binds() ? unit : "none"});
  if (job.launch.oversubscribed) {
    if (!renamed) job.add({"--oversubscribe"});
    job.add({"--mca", "mpi_yield_when_idle", "1"});  // a rank that waits lets others run
  }
  for (const auto& [name, value] : job.variables) job.add({"-x", name});
  if (job.request.marks) job.add({"-x", "KSTAR_MARKS"});
}

/// Hydra passes the whole environment on to every rank.
void say_hydra(MpiJob& job) {
  const Shape& shape = job.request.shape;
  job.add({"-n", std::to_string(shape.tasks()), "-ppn", std::to_string(shape.ranks)});
  if (job.remote) job.add({"-hosts", fmt::format("{}", fmt::join(job.hosts, ","))});
  const bool intel = job.version.kind == MpiKind::kIntel;
  if (intel) {  // it has variables where MPICH has options
    job.variables.emplace_back("I_MPI_PIN", job.binds() ? "1" : "0");
    if (job.binds()) {
      job.variables.emplace_back("I_MPI_PIN_DOMAIN", std::to_string(shape.threads));
    }
  } else {
    const char* unit = job.launch.shares_cores ? "hwthread" : "core";
    job.add({"-bind-to", job.binds() ? fmt::format("{}:{}", unit, shape.threads) : "none"});
  }
  for (const auto& [name, value] : job.variables) job.add({"-genv", name, value});
}

void say_unknown(MpiJob& job) {
  job.add({"-n", std::to_string(job.request.shape.tasks())});
  job.launch.warnings.push_back(
      fmt::format("{} is an unknown MPI: it gets only -n, and chooses the mapping and binding of "
                  "the ranks itself",
                  printable(job.words()[0])));
}

/// What the launcher sets, unless the user sets it.
Result<Variables> variables_of(const LaunchRequest& request) {
  Variables variables = {{"OMP_NUM_THREADS", std::to_string(request.shape.threads)}};
  if (request.gpus) {
    KSTAR_TRY(const std::string devices, gpu_list(request.shape.on_a_node()));
    variables.emplace_back("CUDA_VISIBLE_DEVICES", devices);
  }
  for (const auto& variable : request.variables) {
    std::erase_if(variables, [&](const auto& own) { return own.first == variable.first; });
    variables.push_back(variable);
  }
  return variables;
}

/// "Open MPI 4.1.4: --map-by ppr:2:node:PE=1 --bind-to core": the words between the program and the
/// job that say where ranks go.
std::string binding_words(const MpiJob& job) {
  std::string words = job.version.text + ":";
  const Words& all = job.launch.plan.command;
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const bool told =
        all[i] == "--map-by" || all[i] == "--bind-to" || all[i] == "-ppn" || all[i] == "-bind-to";
    if (told) words += fmt::format(" {} {}", all[i], all[i + 1]);
  }
  if (job.version.kind == MpiKind::kIntel) words += job.binds() ? " I_MPI_PIN=1" : " I_MPI_PIN=0";
  if (job.version.kind == MpiKind::kUnknown) words += " chosen by the launcher";
  if (job.launch.oversubscribed) words += " (oversubscribed)";
  return words;
}

}  // namespace

MpiVersion mpi_version(std::string_view printed) {
  // "mpirun (Open MPI) 4.1.4", "mpirun.openmpi (OpenRTE) 4.1.4", "prterun (PRRTE) 3.0.2"
  for (const std::string_view mark : {"(Open MPI)", "(OpenRTE)"}) {
    const std::string version = word_after(printed, mark);
    if (version.empty()) continue;
    const auto major = parse_integer(std::string_view(version).substr(0, version.find('.')));
    return {MpiKind::kOpenMpi, static_cast<int>(major.value_or(0)), "Open MPI " + version};
  }
  if (const std::string version = word_after(printed, "(PRRTE)"); !version.empty()) {
    return {MpiKind::kOpenMpi, 5, "Open MPI's PRRTE " + version};
  }
  if (printed.find("Intel(R) MPI") != printed.npos) {
    return {MpiKind::kIntel, 0, "Intel MPI " + word_after(printed, "Version")};
  }
  if (printed.find("HYDRA") != printed.npos) {
    return {MpiKind::kMpich, 0, "MPICH " + word_after(printed, "Version:")};
  }
  const std::string_view first = trim(printed.substr(0, printed.find('\n')));
  return {MpiKind::kUnknown, 0,
          first.empty() ? "unknown" : fmt::format("unknown: {}", shorten(printable(first), 60))};
}

namespace {

/// What it says of itself or, where it may not be asked, what its file is called behind all links.
MpiVersion version_of(const std::string& program) {
  if (may_ask_programs()) return mpi_version(ask_program({program, "--version"}));
  const std::string file = resolved_path(program);
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  constexpr int kAnyMajor = 4;
  for (const std::string_view own : {"openmpi", "orterun", "prterun"}) {
    if (name.find(own) != name.npos) return {MpiKind::kOpenMpi, kAnyMajor, "Open MPI"};
  }
  for (const std::string_view own : {"hydra", "mpich"}) {
    if (name.find(own) != name.npos) return {MpiKind::kMpich, 0, "MPICH"};
  }
  return {MpiKind::kUnknown, 0, "unknown"};
}

}  // namespace

Result<Launch> launch_with_mpi(const LaunchRequest& request) {
  if (request.baseline) return launch_locally(request);
  KSTAR_TRY(std::string program, mpi_program(request));
  KSTAR_TRY(Words hosts, nodes_for(request));
  KSTAR_TRY(const std::optional<Allocation> allocation, slurm_allocation());
  KSTAR_TRY(Variables variables, variables_of(request));
  MpiJob job{.request = request,
             .version = version_of(program),
             .hosts = std::move(hosts),
             .remote = !request.hosts.empty() || allocation,
             .variables = std::move(variables),
             .launch = {}};
  job.words() = {std::move(program)};
  KSTAR_CHECK(look_at_node(request, job.launch));
  switch (job.version.kind) {
    case MpiKind::kOpenMpi:
      say_open_mpi(job);
      break;
    case MpiKind::kMpich:
    case MpiKind::kIntel:
      say_hydra(job);
      break;
    case MpiKind::kUnknown:
      say_unknown(job);
      break;
  }
  job.launch.binding = binding_words(job);
  Words& words = job.words();
  words.insert(words.end(), request.options.begin(), request.options.end());
  words.insert(words.end(), request.command.begin(), request.command.end());
  job.launch.plan.variables = std::move(job.variables);
  // Time to end the ranks of other nodes before mpirun itself is killed.
  if (request.shape.nodes > 1) job.launch.plan.grace = kRemoteGrace;
  job.launch.hosts = std::move(job.hosts);
  if (may_ask_programs()) job.launch.versions["mpi"] = job.version.text;
  return std::move(job.launch);
}

}  // namespace kstar
