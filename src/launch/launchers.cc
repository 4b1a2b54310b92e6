#include "launch/launchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "launch/launcher_template.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Where the user's own launchers stand, and whether somebody said so: then the file must be there.
struct LaunchersFile {
  std::string path;
  bool said = false;
};

LaunchersFile launchers_file(const std::string& said) {
  if (!said.empty()) return {said, true};
  if (std::string file = variable("KSTAR_LAUNCHERS"); !file.empty()) return {file, true};
  std::string folder = variable("XDG_CONFIG_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.config";
  return {folder.empty() ? "" : folder + "/kstar/launchers.toml", false};
}

Result<std::vector<Launcher>> own_launchers(const std::string& said) {
  constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
  const LaunchersFile file = launchers_file(said);
  std::error_code ignored;
  if (file.path.empty() || (!file.said && !std::filesystem::exists(file.path, ignored))) {
    return std::vector<Launcher>();
  }
  KSTAR_TRY(const FileText text, read_file(file.path, kLargestFile));
  KSTAR_TRY(std::vector<LauncherTemplate> forms, read_launchers(text.view(), file.path));
  std::vector<Launcher> all;
  for (LauncherTemplate& form : forms) {
    Launcher launcher{.name = form.name, .summary = form.summary, .launch = {}, .from = file.path};
    launcher.launch = [form = std::move(form)](const LaunchRequest& request) {
      return launch_with_template(form, request);
    };
    all.push_back(std::move(launcher));
  }
  return all;
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
      return fail(expected("SLURM_JOB_CPUS_PER_NODE", "CPUs of nodes such as 4(x2),2", text));
    }
    cpus.insert(cpus.end(), static_cast<std::size_t>(*repeats), static_cast<int>(*count));
  }
  return cpus;
}

}  // namespace

const std::vector<Launcher>& launchers() {
  static const std::vector<Launcher> kLaunchers = {
      {.name = "local",
       .summary = "K threads on this machine: OMP_NUM_THREADS, bound to K cores",
       .launch = launch_locally,
       .starts_threads = true},
      {.name = "mpi",
       .summary = "K ranks with mpirun or mpiexec of Open MPI or MPICH, on this machine or --hosts",
       .launch = launch_with_mpi},
      {.name = "slurm",
       .summary = "K ranks with srun, as a step of the current allocation",
       .launch = launch_with_slurm},
      {.name = "torchrun",
       .summary = "K ranks with torchrun, on this machine or on the nodes of a Slurm allocation",
       .launch = launch_with_torchrun},
  };
  return kLaunchers;
}

bool starts_threads(std::string_view name) {
  return std::any_of(launchers().begin(), launchers().end(), [&](const Launcher& launcher) {
    return launcher.name == name && launcher.starts_threads;
  });
}

Result<std::vector<Launcher>> all_launchers(const std::string& file) {
  Result<std::vector<Launcher>> own = own_launchers(file);
  if (!own) return own;
  std::vector<Launcher> all = launchers();
  all.insert(all.end(), own->begin(), own->end());
  return all;
}

Result<Launcher> find_launcher(std::string_view name, const std::string& file) {
  for (const Launcher& launcher : launchers()) {
    if (launcher.name == name) return launcher;  // a file that is wrong is nothing to it
  }
  KSTAR_TRY(const std::vector<Launcher> all, all_launchers(file));
  std::vector<std::string> names;
  for (const Launcher& launcher : all) {
    if (launcher.name == name) return launcher;
    names.push_back(launcher.name);
  }
  const std::string near = did_you_mean(name, names);
  return fail(expected("--launcher", fmt::format("one of {}", fmt::join(names, ", ")), name,
                       near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
}

Result<std::optional<Allocation>> slurm_allocation() {
  Allocation allocation;
  allocation.job = variable("SLURM_JOB_ID");
  if (allocation.job.empty()) return std::optional<Allocation>();
  std::string list = variable("SLURM_JOB_NODELIST");
  if (list.empty()) list = variable("SLURM_NODELIST");
  KSTAR_TRY(std::vector<std::string> hosts, expand_node_list(list, "SLURM_JOB_NODELIST"));
  allocation.hosts = std::move(hosts);
  if (const std::string cpus = variable("SLURM_JOB_CPUS_PER_NODE"); !cpus.empty()) {
    KSTAR_TRY(std::vector<int> counts, cpus_of_nodes(cpus));
    allocation.cpus = std::move(counts);
  }
  return std::optional(std::move(allocation));
}

Result<std::vector<std::string>> nodes_for(const LaunchRequest& request) {
  std::vector<std::string> hosts = request.hosts;
  std::string_view source = "--hosts names";
  if (hosts.empty()) {
    Result<std::optional<Allocation>> allocation = slurm_allocation();
    if (!allocation) return fail(allocation.error());
    if (*allocation) {
      hosts = (*allocation)->hosts;
      source = "the allocation has";
    } else {
      hosts = {own_host_name()};
      source = "without --hosts or an allocation there is";
    }
  }
  const auto wanted = static_cast<std::size_t>(request.shape.nodes);
  if (hosts.size() < wanted) {
    return fail(
        expected("--workers",
                 fmt::format("at most {}: {} no more", count_text(hosts.size(), "node"), source),
                 shape_text(request.shape),
                 "name the nodes with --hosts a,b,c, or get more with salloc or sbatch"));
  }
  hosts.resize(wanted);
  return hosts;
}

}  // namespace kstar
