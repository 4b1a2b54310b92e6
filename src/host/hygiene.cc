#include "kstar/hygiene.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "base/number.h"
#include "base/text.h"
#include "exec/system_files.h"
#include "host/cgroup_limits.h"

namespace kstar {

namespace {

constexpr double kQuietShare = 0.1;    // of the CPUs, that others may use
constexpr double kLowMemory = 0.1;     // of the memory, that should be free
constexpr double kSwapShare = 0.01;    // of the memory, that may lie in swap
constexpr double kStolenShare = 0.01;  // of the CPU time since boot

/// What every check looks at.
struct Machine {
  const HygieneQuestion& question;
  SystemFiles files;
  CpuFacts cpu;
  CgroupLimits limits;
};

Note warning(const char* what, NoteValues values) {
  return {.severity = Severity::kWarning, .what = what, .values = std::move(values)};
}

/// Worth knowing where the curve is read; it spoils no time by itself.
Note remark(const char* what, NoteValues values) {
  return {.severity = Severity::kInfo, .what = what, .values = std::move(values)};
}

std::optional<Note> check_oversubscribed(const Machine& machine) {
  const int threads = machine.cpu.own_threads;
  if (threads == 0 || machine.question.workers <= threads) return std::nullopt;
  return warning("oversubscribed", {{"workers", machine.question.workers}, {"cpus", threads}});
}

std::optional<Note> check_shared_cores(const Machine& machine) {
  const int cores = machine.cpu.own_cores;
  const int workers = machine.question.workers;
  if (cores == 0 || workers <= cores || workers > machine.cpu.own_threads) return std::nullopt;
  return remark("shared-cores", {{"workers", workers}, {"cores", cores}});
}

std::optional<Note> check_quota(const Machine& machine) {
  const auto& cpus = machine.limits.cpus;
  const int wanted = std::min(machine.question.workers, std::max(1, machine.cpu.own_threads));
  if (!cpus || *cpus >= wanted) return std::nullopt;
  return warning("cpu-quota", {{"cpus", *cpus}, {"workers", wanted}});
}

std::optional<Note> check_cpuset(const Machine& machine) {
  const CpuFacts& cpu = machine.cpu;
  if (cpu.own_threads == 0 || cpu.own_threads >= cpu.threads) return std::nullopt;
  return remark("cpuset", {{"usable", cpu.own_threads}, {"cpus", cpu.threads}});
}

/// The load average remembers a minute, and so what ended before: something must run now, too.
bool something_runs(const Machine& machine) {
  if (!machine.files.is_this_machine()) return true;
  constexpr int kLooks = 3;
  int running = 0;
  for (int look = 0; look < kLooks; ++look) {
    const std::string text = machine.files.text("proc/loadavg").value_or("");
    const auto words = split(text, ' ');
    const auto now =
        words.size() > 3 ? parse_integer(words[3].substr(0, words[3].find('/'))) : std::nullopt;
    running += now.value_or(2) > 1 ? 1 : 0;  // this process is one of them
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return 2 * running >= kLooks;
}

std::optional<Note> check_load(const Machine& machine) {
  const std::string text = machine.files.text("proc/loadavg").value_or("");
  const auto load = parse_double(std::string_view(text).substr(0, text.find(' ')));
  const double quiet = std::max(0.5, kQuietShare * machine.cpu.threads);
  if (!load || *load <= quiet || !something_runs(machine)) return std::nullopt;
  return warning("load", {{"load", *load}, {"cpus", machine.cpu.threads}});
}

std::optional<Note> check_stolen(const Machine& machine) {
  const auto ticks = cpu_ticks(machine.files.text("proc/stat").value_or(""));
  if (!ticks || ticks->stolen <= kStolenShare * ticks->total) return std::nullopt;
  return warning("stolen-time", {{"share", ticks->stolen / ticks->total}});
}

std::optional<Note> check_governor(const Machine& machine) {
  std::map<std::string, int> governors;
  for (const std::string& name : machine.files.names("sys/devices/system/cpu")) {
    const auto governor =
        machine.files.text("sys/devices/system/cpu/" + name + "/cpufreq/scaling_governor");
    if (governor && *governor != "performance") ++governors[*governor];
  }
  if (governors.empty()) return std::nullopt;
  const auto& [governor, cpus] = *governors.begin();
  return remark("governor", {{"governor", printable(governor)}, {"cpus", cpus}});
}

std::optional<Note> check_turbo(const Machine& machine) {
  const bool intel = machine.files.number("sys/devices/system/cpu/intel_pstate/no_turbo") == 0;
  const bool other = machine.files.number("sys/devices/system/cpu/cpufreq/boost") == 1;
  if (!intel && !other) return std::nullopt;
  return remark("turbo",
                {{"command", intel ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                                   : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"}});
}

std::optional<Note> check_memory(const Machine& machine) {
  const std::string text = machine.files.text("proc/meminfo").value_or("");
  const auto total = kibibytes(value_of(text, "MemTotal"));
  const auto available = kibibytes(value_of(text, "MemAvailable"));
  if (!total || !available || *total <= 0) return std::nullopt;
  const auto share = static_cast<double>(*available) / static_cast<double>(*total);
  if (share >= kLowMemory) return std::nullopt;
  return warning("low-memory", {{"available", *available}, {"memory", *total}});
}

std::optional<Note> check_memory_limit(const Machine& machine) {
  const auto total =
      kibibytes(value_of(machine.files.text("proc/meminfo").value_or(""), "MemTotal"));
  const auto& limit = machine.limits.memory;
  if (!limit || !total || *limit >= *total) return std::nullopt;
  return remark("memory-limit", {{"limit", *limit}});
}

std::optional<Note> check_swap(const Machine& machine) {
  const std::string text = machine.files.text("proc/meminfo").value_or("");
  const auto memory = kibibytes(value_of(text, "MemTotal"));
  const auto total = kibibytes(value_of(text, "SwapTotal"));
  const auto free = kibibytes(value_of(text, "SwapFree"));
  if (!memory || !total || !free) return std::nullopt;
  const std::int64_t used = *total - *free;
  if (static_cast<double>(used) <= kSwapShare * static_cast<double>(*memory)) return std::nullopt;
  return warning("swap", {{"used", used}});
}

std::optional<Note> check_battery(const Machine& machine) {
  const std::string folder = "sys/class/power_supply/";
  for (const std::string& name : machine.files.names(folder)) {
    if (machine.files.text(folder + name + "/status") == "Discharging") {
      return warning("battery", {});
    }
  }
  return std::nullopt;
}

constexpr std::optional<Note> (*kChecks[])(const Machine&) = {
    check_oversubscribed, check_quota,    check_load,  check_shared_cores,
    check_cpuset,         check_stolen,   check_swap,  check_memory,
    check_memory_limit,   check_governor, check_turbo, check_battery,
};

}  // namespace

std::vector<Note> check_hygiene(const HygieneQuestion& question) {
  const SystemFiles files(question.root);
  const Machine machine{question, files, cpu_facts(files), cgroup_limits(files)};
  std::vector<Note> notes;
  for (const auto check : kChecks) {
    if (auto note = check(machine)) notes.push_back(std::move(*note));
  }
  return notes;
}

}  // namespace kstar
