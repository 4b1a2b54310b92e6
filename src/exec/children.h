#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

/// The processes whose parent is this one: those it started, and as a subreaper those that lost
/// their own parent. Only a parent can free a child's number for reuse, so a signal to a child
/// never hits a stranger. Whole trees are ended by ending children: theirs become ours.
namespace kstar {

/// Children that are alive or wait to be reaped.
std::vector<pid_t> children_of_this_process();

/// Of a process that may be gone by now.
std::vector<pid_t> threads_of(pid_t process);
/// Adds the processes that one of its threads started; nothing where the kernel keeps no lists.
void append_children(pid_t process, pid_t thread, std::vector<pid_t>& children);
/// A small file of /proc; it is not there any more when the process is gone.
std::optional<std::string> read_process_file(const std::string& path);

/// SIGTERM asks, SIGKILL ends. Sent to the children and to their process groups, unless a group is
/// this process's own. A stopped process is woken to hear it.
void signal_children(const std::vector<pid_t>& children, int signal);

/// Processes that come to this one, a subreaper, because their parents died. A job and all that it
/// starts live in the session of the process that started it, or in their own, and can never be in
/// the caller's: that tells them from the caller's own children, together with a list of those that
/// were there before.
class Orphans {
 public:
  Orphans();
  /// Kills them, and theirs, until there are none.
  void end() const;

 private:
  std::vector<pid_t> present() const;

  std::vector<pid_t> known_;
};

/// "kstar: <what>: <reason of errno value `number`>".
Error system_error(std::string_view what, int number);

}  // namespace kstar
