#include "exec/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/number.h"

namespace kstar {

namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The entries of a folder whose names are numbers.
std::vector<pid_t> numbers_in(const char* path) {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, FolderCloser> folder(::opendir(path));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (const auto number = parse_integer(entry->d_name)) {
      found.push_back(static_cast<pid_t>(*number));
    }
  }
  return found;
}

void append_numbers(std::string_view text, std::vector<pid_t>& numbers) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const auto number = parse_integer(text.substr(0, blank));
    if (number) numbers.push_back(static_cast<pid_t>(*number));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
}

/// From /proc/PID/stat: "PID (name) state parent ...", where the name may hold anything.
std::optional<pid_t> parent_of(pid_t process) {
  const auto stat = read_process_file("/proc/" + std::to_string(process) + "/stat");
  const std::size_t close = stat ? stat->rfind(") ") : std::string::npos;
  if (close == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(*stat).substr(close + 2);
  rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  const auto parent = parse_integer(rest.substr(0, rest.find(' ')));
  return parent ? std::optional(static_cast<pid_t>(*parent)) : std::nullopt;
}

/// Where the kernel keeps no lists of children (CONFIG_PROC_CHILDREN).
std::vector<pid_t> children_by_search() {
  std::vector<pid_t> children;
  for (const pid_t process : numbers_in("/proc")) {
    if (parent_of(process) == ::getpid()) children.push_back(process);
  }
  return children;
}

/// A millisecond each: how long SIGKILL may take.
constexpr int kPasses = 10'000;

}  // namespace

std::optional<std::string> read_process_file(const std::string& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(file.get(), piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

std::vector<pid_t> threads_of(pid_t process) {
  return numbers_in(("/proc/" + std::to_string(process) + "/task").c_str());
}

void append_children(pid_t process, pid_t thread, std::vector<pid_t>& children) {
  const auto list = read_process_file("/proc/" + std::to_string(process) + "/task/" +
                                      std::to_string(thread) + "/children");
  if (list) append_numbers(*list, children);
}

std::vector<pid_t> children_of_this_process() {
  std::vector<pid_t> children;
  for (const pid_t thread : numbers_in("/proc/self/task")) {
    const auto list = read_process_file("/proc/self/task/" + std::to_string(thread) + "/children");
    if (!list) return children_by_search();
    append_numbers(*list, children);
  }
  return children;
}

void signal_children(const std::vector<pid_t>& children, int signal) {
  for (const pid_t child : children) {
    const pid_t group = ::getpgid(child);
    if (group > 1 && group != ::getpgrp()) {
      ::kill(-group, signal);
      ::kill(-group, SIGCONT);
    }
    ::kill(child, signal);
    ::kill(child, SIGCONT);
  }
}

Orphans::Orphans() : known_(children_of_this_process()) {}

std::vector<pid_t> Orphans::present() const {
  std::vector<pid_t> found;
  for (const pid_t child : children_of_this_process()) {
    const bool known = std::count(known_.begin(), known_.end(), child) > 0;
    if (!known && ::getsid(child) != ::getsid(0)) found.push_back(child);
  }
  return found;
}

void Orphans::end() const {
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<pid_t> found = present();
    if (found.empty()) return;
    signal_children(found, SIGKILL);
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
    for (const pid_t orphan : found) ::waitpid(orphan, nullptr, WNOHANG);
  }
}

Error system_error(std::string_view what, int number) {
  return {.where = "kstar",
          .message = std::string(what) + ": " +
                     std::error_code(number, std::generic_category()).message()};
}

}  // namespace kstar
