#include "exec/job_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text.h"

namespace kstar {

namespace {

constexpr std::string_view kCgroupPrefix = "kstar-";

/// Where the version 2 hierarchy is mounted, and which of its groups that is: fields 5 and 4 of
/// /proc/self/mountinfo.
struct CgroupMount {
  std::string point;
  std::string root;
};

CgroupMount cgroup_mount() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    const std::vector<std::string_view> fields = split(line, ' ');
    if (fields.size() > 4) return {std::string(fields[4]), std::string(fields[3])};
  }
  return {};
}

/// The folder of this process's own group; empty where there is none.
std::string own_cgroup() {
  const CgroupMount mount = cgroup_mount();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; !mount.point.empty() && std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    std::string path = line.substr(3);
    if (mount.root != "/" && path.starts_with(mount.root)) path.erase(0, mount.root.size());
    return mount.point + (path == "/" ? "" : path);
  }
  return "";
}

bool write_word(const std::string& file, std::string_view word) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t done = ::write(fd, word.data(), word.size());
  ::close(fd);
  return done == static_cast<ssize_t>(word.size());
}

std::vector<pid_t> members(const std::string& group) {
  std::vector<pid_t> found;
  std::ifstream processes(group + "/cgroup.procs");
  for (pid_t process = 0; processes >> process;) {
    if (process > 0) found.push_back(process);
  }
  return found;
}

/// Linux before 5.14 has no cgroup.kill.
void kill_members(const std::string& group, const std::vector<pid_t>& processes) {
  if (write_word(group + "/cgroup.kill", "1")) return;
  for (const pid_t process : processes) ::kill(process, SIGKILL);
}

/// A group is empty only some time after its processes were killed.
int end_group(const std::string& group) {
  constexpr int kTries = 200;
  const int count = static_cast<int>(members(group).size());
  for (int i = 0; i < kTries && ::rmdir(group.c_str()) != 0 && errno == EBUSY; ++i) {
    kill_members(group, members(group));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return count;
}

}  // namespace

void enter_job_cgroup(const std::string& mark) {
  const std::string own = own_cgroup();
  if (own.empty()) return;
  const std::string group = own + "/" + std::string(kCgroupPrefix) + mark;
  if (::mkdir(group.c_str(), 0755) != 0) return;
  if (!write_word(group + "/cgroup.procs", "0")) ::rmdir(group.c_str());
}

int end_job_cgroups(const std::function<bool(const std::string& mark)>& fits) {
  int ended = 0;
  const std::string own = own_cgroup();
  std::error_code problem;
  if (own.empty()) return 0;
  for (std::filesystem::directory_iterator entries(own, problem), end; !problem && entries != end;
       entries.increment(problem)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with(kCgroupPrefix) || !fits(name.substr(kCgroupPrefix.size()))) continue;
    ended += end_group(entries->path().string());
  }
  return ended;
}

}  // namespace kstar
