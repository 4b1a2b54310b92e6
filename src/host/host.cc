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

/// What changes how fast a job runs, and nothing else. A name that ends in * stands for all that
/// begin so: settings of communication libraries, which are many.
constexpr std::array kRecorded = {
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "OMP_SCHEDULE",
    "OMP_DYNAMIC",
    "OMP_WAIT_POLICY",
    "OMP_MAX_ACTIVE_LEVELS",
    "GOMP_CPU_AFFINITY",
    "GOMP_SPINCOUNT",
    "KMP_AFFINITY",
    "KMP_BLOCKTIME",
    "MKL_NUM_THREADS",
    "MKL_DYNAMIC",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "GOMAXPROCS",
    "JULIA_NUM_THREADS",
    "OMPI_MCA_*",
    "MPICH_*",
    "I_MPI_*",
    "UCX_*",
    "FI_*",
    "NCCL_*",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "XLA_FLAGS",
    "SLURM_JOB_ID",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_NUM_NODES",
    "SLURM_NTASKS",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPU_BIND",
    "LD_PRELOAD",
    "MALLOC_ARENA_MAX",
    "MALLOC_PERTURB_",
    "MALLOC_CHECK_",
    "TORCH_DISTRIBUTED_DEBUG",
    "PYTHONDEVMODE",
    "GLIBC_TUNABLES",
};

/// Of names in small letters.
constexpr std::array kSecretWords = {"token",  "secret", "passw", "passphrase", "key",      "cred",
                                     "cookie", "jwt",    "auth",  "private",    "signature"};

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
  return known && !looks_like_secret(name);
}

bool looks_like_secret(std::string_view name) {
  const std::string small = lower_case(name);
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return small.find(word) != small.npos; });
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
