#pragma once

#include <sys/types.h>

#include <vector>

/// The processes whose parent is this one: those it started, and as a subreaper those that lost
/// their own parent. Only a parent can free a child's number for reuse, so a signal to a child
/// never hits a stranger. Whole trees are ended by ending children: theirs become ours.
namespace kstar {

/// Children that are alive or wait to be reaped.
std::vector<pid_t> children_of_this_process();

/// SIGTERM asks, SIGKILL ends. Sent to the children and to their process groups, unless a group is
/// this process's own. A stopped process is woken to hear it.
void signal_children(const std::vector<pid_t>& children, int signal);

}  // namespace kstar
