#include "kstar/host.h"

#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "exec/system_files.h"
#include "host/cgroup_limits.h"
#include "host/topology.h"

namespace kstar {

namespace {

/// A name that ends in * stands for all that begin so.
constexpr std::array kRecorded = {
    "OMP_*",         "KMP_*",          "GOMP_*",         "MKL_*",
    "OPENBLAS_*",    "BLIS_*",         "GOTO_*",         "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_*",     "TBB_*",          "RAYON_*",        "OMPI_MCA_*",
    "MPICH_*",       "I_MPI_*",        "UCX_*",          "FI_*",
    "PMIX_MCA_*",    "NCCL_*",         "CUDA_*",         "NVIDIA_VISIBLE_DEVICES",
    "HIP_VISIBLE_*", "ROCR_VISIBLE_*", "HSA_*",          "XLA_*",
    "TORCH_*",       "PYTORCH_*",      "TF_*",           "SLURM_*",
    "PBS_*",         "LSB_*",          "LD_PRELOAD",     "LD_LIBRARY_PATH",
    "LD_BIND_NOW",   "MALLOC_*",       "GLIBC_TUNABLES", "JEMALLOC_*",
    "TCMALLOC_*",    "MIMALLOC_*",     "GOMAXPROCS",     "JULIA_NUM_THREADS",
    "HYPERFINE_*",   "PYTHONHASHSEED", "LANG",           "LC_ALL",
};

constexpr std::array kSecretWords = {"TOKEN",      "SECRET", "PASSW", "KEY",
                                     "CREDENTIAL", "COOKIE", "JWT",   "AUTH"};

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string cpu_model(const SystemFiles& files) {
  const std::string cpuinfo = files.text("proc/cpuinfo").value_or("");
  for (const char* key : {"model name", "Model", "Processor", "cpu", "uarch"}) {
    if (auto model = value_of(cpuinfo, key)) return *model;
  }
  return {};
}

std::optional<int> positive(int count) {
  return count > 0 ? std::optional(count) : std::nullopt;
}

Host this_host(const SystemFiles& files, const std::string& root) {
  Host host;
  utsname system{};
  if (::uname(&system) == 0) {
    host.name = system.nodename;
    host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  const CpuFacts cpu = cpu_facts(files);
  host.cpu = cpu_model(files);
  host.sockets = positive(cpu.packages);
  host.cores = positive(cpu.cores);
  host.threads = positive(cpu.threads);
  host.memory = kibibytes(value_of(files.text("proc/meminfo").value_or(""), "MemTotal"));
  host.accelerators = accelerators(root);
  return host;
}

/// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" of os-release(5).
std::string system_name(const SystemFiles& files) {
  const std::string release = files.text("etc/os-release").value_or("");
  for (const std::string_view line : split(release, '\n')) {
    const std::string_view key = "PRETTY_NAME=";
    if (!line.starts_with(key)) continue;
    std::string name(trim(line.substr(key.size())));
    std::erase(name, '"');
    return name;
  }
  return {};
}

void add(std::map<std::string, std::string>& to, const std::string& name, std::string value) {
  if (!value.empty()) to[name] = std::move(value);
}

}  // namespace

bool is_recorded_variable(std::string_view name) {
  const bool known = std::any_of(kRecorded.begin(), kRecorded.end(),
                                 [&](std::string_view pattern) { return matches(name, pattern); });
  const bool secret =
      std::any_of(kSecretWords.begin(), kSecretWords.end(),
                  [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
  return known && !secret;
}

Environment this_environment(const std::string& root) {
  const SystemFiles files(root);
  Environment environment;
  environment.hosts.push_back(this_host(files, root));
  const CpuFacts cpu = cpu_facts(files);
  if (cpu.own_threads < cpu.threads) environment.usable_cpus = positive(cpu.own_threads);
  environment.cpu_quota = cgroup_limits(files).cpus;
  add(environment.versions, "system", system_name(files));
  add(environment.versions, "glibc", ::gnu_get_libc_version());
  add(environment.versions, "hwloc", hwloc_version());
  add(environment.versions, "nvidia-driver", files.text("sys/module/nvidia/version").value_or(""));
  for (char** setting = ::environ; setting && *setting; ++setting) {
    const std::string_view text = *setting;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_recorded_variable(text.substr(0, equals))) continue;
    environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace kstar
