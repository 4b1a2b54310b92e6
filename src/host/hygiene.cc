#include "kstar/hygiene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "exec/system_files.h"

namespace kstar {

namespace {

/// The tightest limits that control groups (version 1 or 2) set to this process, over its group and
/// all above it.
struct CgroupLimits {
  std::optional<double> cpus;          ///< CPU seconds per second
  std::optional<std::int64_t> memory;  ///< bytes
};

/// Version 1 says "no limit" with a number near 2^63.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60U;

template <typename T>
void tighten(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

/// cpu.max of version 2: "QUOTA PERIOD" in microseconds, or "max PERIOD".
std::optional<double> quota_v2(const SystemFiles& files, const std::string& folder) {
  const std::string text = files.text(folder + "/cpu.max").value_or("");
  const auto parts = split(text, ' ');
  if (parts.size() != 2) return std::nullopt;
  const auto quota = parse_double(parts[0]);
  const auto period = parse_double(parts[1]);
  return quota && period && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

std::optional<double> quota_v1(const SystemFiles& files, const std::string& folder) {
  const auto quota = files.number(folder + "/cpu.cfs_quota_us");
  const auto period = files.number(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::int64_t> memory(const SystemFiles& files, const std::string& file) {
  const auto limit = files.number(file);
  return limit && *limit < kNoLimit ? limit : std::nullopt;
}

/// The limits of one folder of a hierarchy.
void read_limits(const SystemFiles& files, const std::string& folder, CgroupLimits& limits) {
  tighten(limits.cpus, quota_v2(files, folder));
  tighten(limits.cpus, quota_v1(files, folder));
  tighten(limits.memory, memory(files, folder + "/memory.max"));
  tighten(limits.memory, memory(files, folder + "/memory.limit_in_bytes"));
}

/// The folder of `path` in the hierarchy at `mount`, and all above it. In a container the path may
/// be the host's and not there: the mount itself is then the group.
void read_upwards(const SystemFiles& files, const std::string& mount, std::string path,
                  CgroupLimits& limits) {
  while (path.starts_with('/') && path != "/") {
    read_limits(files, mount + path, limits);
    path.resize(path.rfind('/'));
  }
  read_limits(files, mount, limits);
}

CgroupLimits cgroup_limits(const SystemFiles& files) {
  CgroupLimits limits;
  const std::string root = "sys/fs/cgroup";
  const std::string own = files.text("proc/self/cgroup").value_or("");
  for (const std::string_view line : split(own, '\n')) {  // "4:cpu,cpuacct:/path", "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) {
      read_upwards(files, root, path, limits);
      read_upwards(files, root + "/unified", path, limits);
    }
    for (const std::string_view controller : split(controllers, ',')) {
      if (controller != "cpu" && controller != "memory") continue;
      read_upwards(files, root + "/" + std::string(controller), path, limits);
    }
  }
  return limits;
}

constexpr double kQuietShare = 0.1;    // of the CPUs, that others may use
constexpr double kLowMemory = 0.1;     // of the memory, that should be free
constexpr double kSwapShare = 0.01;    // of the memory, that may lie in swap
constexpr double kStolenShare = 0.01;  // of the CPU time since boot
constexpr double kMebibyte = 1024.0 * 1024.0;

/// What every check looks at.
struct Machine {
  const HygieneQuestion& question;
  SystemFiles files;
  CpuFacts cpu;
  CgroupLimits limits;
};

std::string count(int number, std::string_view noun) {
  return count_text(static_cast<std::size_t>(number), noun);
}

std::optional<Warning> check_oversubscribed(const Machine& machine) {
  const int threads = machine.cpu.own_threads;
  if (threads == 0 || machine.question.workers <= threads) return std::nullopt;
  return Warning{"oversubscribed",
                 fmt::format("{} for {}: they share CPUs, and the curve shows the scheduler",
                             count(machine.question.workers, "worker"), count(threads, "CPU")),
                 fmt::format("measure up to {}, or read the points above with care", threads)};
}

std::optional<Warning> check_shared_cores(const Machine& machine) {
  const int cores = machine.cpu.own_cores;
  const int workers = machine.question.workers;
  if (cores == 0 || workers <= cores || workers > machine.cpu.own_threads) return std::nullopt;
  return Warning{"shared-cores",
                 fmt::format("{} for {}: above {} workers, two share a core",
                             count(workers, "worker"), count(cores, "core"), cores),
                 fmt::format("use the points up to {} for the scaling over cores", cores)};
}

std::optional<Warning> check_quota(const Machine& machine) {
  const auto& cpus = machine.limits.cpus;
  const int wanted = std::min(machine.question.workers, std::max(1, machine.cpu.own_threads));
  if (!cpus || *cpus >= wanted) return std::nullopt;
  return Warning{"cpu-quota",
                 fmt::format("a control group allows {} CPUs, less than {}: the job is paused for "
                             "part of every period",
                             significant(*cpus, 3), count(wanted, "worker")),
                 "raise the quota (docker --cpus, Kubernetes limits), or measure fewer workers"};
}

std::optional<Warning> check_cpuset(const Machine& machine) {
  const CpuFacts& cpu = machine.cpu;
  if (cpu.own_threads == 0 || cpu.own_threads >= cpu.threads) return std::nullopt;
  return Warning{
      "cpuset",
      fmt::format("only {} of {} may be used here (a cpuset or taskset)", cpu.own_threads,
                  count(cpu.threads, "CPU")),
      "others may be using the rest: make sure that they do not use its memory and caches"};
}

std::optional<Warning> check_load(const Machine& machine) {
  const std::string text = machine.files.text("proc/loadavg").value_or("");
  const auto load = parse_double(std::string_view(text).substr(0, text.find(' ')));
  const double quiet = std::max(0.5, kQuietShare * machine.cpu.threads);
  if (!load || *load <= quiet) return std::nullopt;
  return Warning{
      "load",
      fmt::format("the load over the last minute is {} on {}: other processes are running",
                  fixed(*load, 2), count(machine.cpu.threads, "CPU")),
      "stop them, or wait: interleaved runs spread the disturbance over all K, but do not remove "
      "it"};
}

std::optional<Warning> check_stolen(const Machine& machine) {
  const auto ticks = cpu_ticks(machine.files.text("proc/stat").value_or(""));
  if (!ticks || ticks->stolen <= kStolenShare * ticks->total) return std::nullopt;
  return Warning{
      "stolen-time",
      fmt::format("the hypervisor took {} of the CPU time since this virtual machine started",
                  percent(ticks->stolen / ticks->total, 1)),
      "use a machine with dedicated CPUs, or more runs over a longer time"};
}

std::optional<Warning> check_governor(const Machine& machine) {
  std::map<std::string, int> governors;
  for (const std::string& name : machine.files.names("sys/devices/system/cpu")) {
    const auto governor =
        machine.files.text("sys/devices/system/cpu/" + name + "/cpufreq/scaling_governor");
    if (governor && *governor != "performance") ++governors[*governor];
  }
  if (governors.empty()) return std::nullopt;
  const auto& [governor, cpus] = *governors.begin();
  return Warning{"governor",
                 fmt::format("the frequency governor is '{}' on {}: short runs start slow",
                             printable(governor), count(cpus, "CPU")),
                 "cpupower frequency-set -g performance"};
}

std::optional<Warning> check_turbo(const Machine& machine) {
  const bool intel = machine.files.number("sys/devices/system/cpu/intel_pstate/no_turbo") == 0;
  const bool other = machine.files.number("sys/devices/system/cpu/cpufreq/boost") == 1;
  if (!intel && !other) return std::nullopt;
  return Warning{"turbo",
                 "turbo is on: one busy core runs faster than many, which lowers every speedup",
                 intel ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                       : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"};
}

std::optional<Warning> check_memory(const Machine& machine) {
  const std::string text = machine.files.text("proc/meminfo").value_or("");
  const auto total = kibibytes(value_of(text, "MemTotal"));
  const auto available = kibibytes(value_of(text, "MemAvailable"));
  if (!total || !available || *total <= 0) return std::nullopt;
  const auto share = static_cast<double>(*available) / static_cast<double>(*total);
  if (share >= kLowMemory) return std::nullopt;
  return Warning{"low-memory",
                 fmt::format("only {} MiB of {} MiB are available",
                             fixed(static_cast<double>(*available) / kMebibyte, 0),
                             fixed(static_cast<double>(*total) / kMebibyte, 0)),
                 "free memory: a job that is short of memory swaps or is killed"};
}

std::optional<Warning> check_memory_limit(const Machine& machine) {
  const auto total =
      kibibytes(value_of(machine.files.text("proc/meminfo").value_or(""), "MemTotal"));
  const auto& limit = machine.limits.memory;
  if (!limit || !total || *limit >= *total) return std::nullopt;
  return Warning{"memory-limit",
                 fmt::format("a control group allows {} MiB of memory, less than the machine has",
                             fixed(static_cast<double>(*limit) / kMebibyte, 0)),
                 "make sure that the job fits at every K, including its files in the page cache"};
}

std::optional<Warning> check_swap(const Machine& machine) {
  const std::string text = machine.files.text("proc/meminfo").value_or("");
  const auto memory = kibibytes(value_of(text, "MemTotal"));
  const auto total = kibibytes(value_of(text, "SwapTotal"));
  const auto free = kibibytes(value_of(text, "SwapFree"));
  if (!memory || !total || !free) return std::nullopt;
  const auto used = static_cast<double>(*total - *free);
  if (used <= kSwapShare * static_cast<double>(*memory)) return std::nullopt;
  return Warning{"swap", fmt::format("{} MiB are in swap", fixed(used / kMebibyte, 0)),
                 "free memory, then swapoff -a && swapon -a"};
}

std::optional<Warning> check_battery(const Machine& machine) {
  const std::string folder = "sys/class/power_supply/";
  for (const std::string& name : machine.files.names(folder)) {
    if (machine.files.text(folder + name + "/status") != "Discharging") continue;
    return Warning{"battery", "this machine runs on battery: it may slow down to save power",
                   "plug it in"};
  }
  return std::nullopt;
}

constexpr std::optional<Warning> (*kChecks[])(const Machine&) = {
    check_oversubscribed, check_quota,    check_load,  check_shared_cores,
    check_cpuset,         check_stolen,   check_swap,  check_memory,
    check_memory_limit,   check_governor, check_turbo, check_battery,
};

}  // namespace

std::vector<Warning> check_hygiene(const HygieneQuestion& question) {
  const SystemFiles files(question.root);
  const Machine machine{question, files, cpu_facts(files), cgroup_limits(files)};
  std::vector<Warning> warnings;
  for (const auto check : kChecks) {
    if (auto warning = check(machine)) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace kstar
