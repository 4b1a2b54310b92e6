#include "exec/system_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
constexpr std::int64_t kMostCpus = 1 << 20;

std::set<int> to_set(const std::vector<int>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Every CPU is a "processor" paragraph in /proc/cpuinfo, also where /sys is not there.
std::vector<int> cpus_of_cpuinfo(const SystemFiles& files) {
  std::vector<int> cpus;
  const std::string cpuinfo = files.text("proc/cpuinfo").value_or("");
  for (const std::string_view line : split(cpuinfo, '\n')) {
    if (line.starts_with("processor")) cpus.push_back(static_cast<int>(cpus.size()));
  }
  return cpus;
}

}  // namespace

SystemFiles::SystemFiles(std::string root) : root_(std::move(root)) {
  if (!root_.ends_with('/')) root_ += '/';
}

std::optional<std::string> SystemFiles::text(const std::string& path) const {
  const auto bytes = read_file(root_ + path, kMostBytes);
  if (!bytes) return std::nullopt;
  return std::string(trim(bytes->view()));
}

std::optional<std::int64_t> SystemFiles::number(const std::string& path) const {
  const auto found = text(path);
  return found ? parse_integer(*found) : std::nullopt;
}

std::vector<std::string> SystemFiles::names(const std::string& folder) const {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(root_ + folder, missing)) {
    found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

std::optional<std::int64_t> kibibytes(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto number = parse_integer(std::string_view(*text).substr(0, text->find(' ')));
  return number ? std::optional(*number * 1024) : std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMostCpus) continue;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

CpuFacts cpu_facts(const SystemFiles& files) {
  const std::string folder = "sys/devices/system/cpu/";
  std::vector<int> online = parse_cpu_list(files.text(folder + "online").value_or(""));
  if (online.empty()) online = cpus_of_cpuinfo(files);
  const std::string status = files.text("proc/self/status").value_or("");
  const auto allowed = value_of(status, "Cpus_allowed_list");
  const std::set<int> own = to_set(allowed ? parse_cpu_list(*allowed) : online);
  std::set<std::int64_t> packages;
  std::set<std::string> cores, own_cores;
  CpuFacts facts;
  for (const int cpu : online) {
    const std::string topology = folder + "cpu" + std::to_string(cpu) + "/topology/";
    packages.insert(files.number(topology + "physical_package_id").value_or(0));
    const std::string core =
        files.text(topology + "thread_siblings_list").value_or(std::to_string(cpu));
    cores.insert(core);
    if (!own.contains(cpu)) continue;
    own_cores.insert(core);
    ++facts.own_threads;
  }
  facts.packages = static_cast<int>(packages.size());
  facts.cores = static_cast<int>(cores.size());
  facts.threads = static_cast<int>(online.size());
  facts.own_cores = static_cast<int>(own_cores.size());
  return facts;
}

/// Its first line: "cpu", user nice system idle iowait irq softirq steal; what a guest used is part
/// of user and nice.
std::optional<CpuTicks> cpu_ticks(std::string_view text) {
  constexpr std::size_t kIdle = 3, kIoWait = 4, kSteal = 7;
  CpuTicks ticks;
  std::size_t column = 0;
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with("cpu ")) return std::nullopt;
  for (const std::string_view part : split(line.substr(4), ' ')) {
    const auto number = parse_double(part);
    if (!number || column > kSteal) continue;
    if (column == kSteal) ticks.stolen = *number;
    if (column != kIdle && column != kIoWait && column != kSteal) ticks.busy += *number;
    ticks.total += *number;
    ++column;
  }
  if (column <= kIdle) return std::nullopt;
  return ticks;
}

}  // namespace kstar
