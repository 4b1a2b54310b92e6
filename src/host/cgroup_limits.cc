#include "host/cgroup_limits.h"

#include <string>
#include <string_view>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

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

}  // namespace

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

}  // namespace kstar
