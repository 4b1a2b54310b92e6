#include "exec/left_behind.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "exec/job_cgroup.h"
#include "kstar/executor.h"

namespace kstar {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// When a process started, in ticks since boot; "" when there is none, or it has ended and nobody
/// has asked for it yet. From /proc/PID/stat, where the name in the second place may hold anything.
std::string start_of(std::string_view process) {
  const std::string stat = text_of("/proc/" + std::string(process) + "/stat");
  const std::size_t close = stat.rfind(") ");
  if (close == std::string::npos) return "";
  const std::vector<std::string_view> fields = split(std::string_view(stat).substr(close + 2), ' ');
  constexpr std::size_t kStart = 19;  // the 22nd field of all
  const bool ended = fields[0] == "Z" || fields[0] == "X";
  return fields.size() > kStart && !ended ? std::string(fields[kStart]) : "";
}

/// The namespace that process numbers belong to, as a number; "" where it is not known.
std::string number_space() {
  struct stat facts {};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? std::to_string(facts.st_ino) : "";
}

std::string boot() {
  return std::string(trim(text_of("/proc/sys/kernel/random/boot_id")));
}

/// Where a process's number and start count: "4026531836.5f2c...".
std::string place() {
  return number_space() + "." + boot();
}

/// The mark in a process's environment; "" when it has none.
std::string mark_in(const std::string& process) {
  const std::string sign = std::string(kOwnerVariable) + "=";
  const std::string settings = text_of("/proc/" + process + "/environ");
  for (const std::string_view setting : split(settings, '\0')) {
    if (setting.starts_with(sign)) return std::string(setting.substr(sign.size()));
  }
  return "";
}

/// Whether the owner that a mark names is known to be gone. What is not understood is not judged.
bool is_gone(const std::string& mark, const std::string& here) {
  const std::vector<std::string_view> parts = split(mark, '.');
  if (parts.size() < 3 || parts[1].empty() || !parse_integer(parts[0])) return false;
  if (!mark.ends_with("." + here)) return false;
  return start_of(parts[0]) != parts[1];
}

bool is_own(const std::string& process) {
  struct stat facts {};
  return ::stat(("/proc/" + process).c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
}

}  // namespace

std::string owner_mark() {
  const std::string own = std::to_string(::getpid());
  return own + "." + start_of(own) + "." + place();
}

int end_left_behind() {
  const std::string here = place();
  int ended = end_job_cgroups([&](const std::string& mark) { return is_gone(mark, here); });
  std::error_code problem;
  for (std::filesystem::directory_iterator entries("/proc", problem), end;
       !problem && entries != end; entries.increment(problem)) {
    const std::string process = entries->path().filename().string();
    const auto number = parse_integer(process);
    if (!number || *number == ::getpid() || !is_own(process)) continue;
    const std::string mark = mark_in(process);
    if (mark.empty() || !is_gone(mark, here)) continue;
    ended += ::kill(static_cast<pid_t>(*number), SIGKILL) == 0 ? 1 : 0;
  }
  return ended;
}

}  // namespace kstar
