#include "exec/concurrent_jobs.h"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

namespace kstar {

namespace {

double job_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

FileHandle child_signals() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return FileHandle(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

ConcurrentJobs::ConcurrentJobs(const std::vector<std::string>& command, FileHandle null)
    : job_(LaunchPlan{.command = command}), null_(std::move(null)), ended_(child_signals()) {}

Spawned ConcurrentJobs::start(std::size_t key, double seconds) {
  const Spawned spawned = spawn(job_, {null_.get(), null_.get(), null_.get()});
  if (spawned.process > 0 && spawned.failed != StartStep::kNone) {
    ::waitpid(spawned.process, nullptr, 0);
  } else if (spawned.process > 0) {
    running_[spawned.process] = {key, job_clock() + seconds, false};
  }
  return spawned;
}

std::vector<ConcurrentJobs::Ended> ConcurrentJobs::take_ended() {
  signalfd_siginfo info[16];
  while (::read(ended_.get(), info, sizeof info) > 0) {
  }
  std::vector<Ended> all;
  const double now = job_clock();
  for (auto at = running_.begin(); at != running_.end();) {
    int status = 0;
    if (::waitpid(at->first, &status, WNOHANG) == at->first) {
      all.push_back({at->second.key, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                     WIFSIGNALED(status) ? WTERMSIG(status) : 0, at->second.killed});
      at = running_.erase(at);
      continue;
    }
    if (!at->second.killed && now > at->second.deadline) {
      ::kill(-at->first, SIGKILL);
      at->second.killed = true;
    }
    ++at;
  }
  return all;
}

double ConcurrentJobs::until_next(double most) const {
  const double now = job_clock();
  for (const auto& [process, running] : running_) {
    if (!running.killed) most = std::min(most, std::max(0.0, running.deadline - now));
  }
  return most;
}

void ConcurrentJobs::end_all() {
  for (const auto& [process, running] : running_) ::kill(-process, SIGKILL);
  for (const auto& [process, running] : running_) ::waitpid(process, nullptr, 0);
  running_.clear();
}

}  // namespace kstar
