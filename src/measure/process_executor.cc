#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

#include "base/text.h"
#include "kstar/executor.h"
#include "measure/channel.h"
#include "measure/children.h"
#include "measure/guard.h"
#include "measure/guard_messages.h"

namespace kstar {

namespace {

/// How often `stop` is looked at when no signal breaks the wait.
constexpr int kLookAtStopMs = 100;
constexpr int kCleanUpPasses = 5000;

double monotonic_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::string reason_text(int number) {
  return std::error_code(number, std::generic_category()).message();
}

Error start_error(const LaunchPlan& plan, StartStep step, int reason) {
  const std::string program = plan.command.empty() ? "" : printable(plan.command[0]);
  Error error{.where = program, .message = fmt::format("cannot start: {}", reason_text(reason))};
  if (step == StartStep::kFolder) {
    error.message = fmt::format("cannot start in the folder '{}': {}", printable(plan.folder),
                                reason_text(reason));
  } else if (step == StartStep::kCpus) {
    error.message = fmt::format("cannot bind to the CPUs {}: {}", fmt::join(plan.cpus, ","),
                                reason_text(reason));
    error.hint = "a cpuset or a container may not allow these CPUs; try without binding";
  } else if (reason == ENOENT && program.find('/') == std::string::npos) {
    error.hint = "there is no such program in PATH; one in this folder is called ./" + program;
  } else if (reason == ENOENT) {
    error.hint = "the program is not there, or the interpreter named in its first line is not";
  } else if (reason == EACCES) {
    error.hint = "it is not executable: chmod +x makes it so";
  } else if (reason == ENOEXEC) {
    error.hint = "a script needs a first line such as #!/bin/sh, or a shell to run it";
  }
  return error;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Outcome to_outcome(RunReport report) {
  const RunFacts& facts = report.facts;
  Outcome outcome;
  outcome.start = facts.start;
  outcome.clock = facts.clock;
  outcome.wall = facts.wall;
  if (facts.ended && WIFEXITED(facts.status)) outcome.exit_status = WEXITSTATUS(facts.status);
  if (facts.ended && WIFSIGNALED(facts.status)) outcome.signal = WTERMSIG(facts.status);
  outcome.timed_out = facts.timed_out;
  outcome.interrupted = facts.interrupted;
  outcome.stragglers = facts.stragglers;
  if (const int left = facts.unended + (facts.ended ? 0 : 1); left > 0) {
    outcome.trouble = fmt::format("{} of its processes could not be ended", left);
  }
  outcome.cpu_user = seconds(facts.usage.ru_utime);
  outcome.cpu_system = seconds(facts.usage.ru_stime);
  outcome.peak_memory = facts.usage.ru_maxrss * 1024;
  outcome.minor_faults = facts.usage.ru_minflt;
  outcome.major_faults = facts.usage.ru_majflt;
  outcome.voluntary_switches = facts.usage.ru_nvcsw;
  outcome.involuntary_switches = facts.usage.ru_nivcsw;
  outcome.output = std::move(report.output);
  outcome.error_output = std::move(report.error_output);
  return outcome;
}

class ProcessExecutor final : public Executor {
 public:
  ProcessExecutor(const std::atomic<bool>& stop, const ExecutorOptions& options)
      : stop_(stop), options_(options) {
    static_cast<void>(start_guard());  // where it fails, run() tries again and says why
  }
  ~ProcessExecutor() override { end_guard(); }
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;

  Result<Outcome> run(const LaunchPlan& plan) override;

 private:
  Result<void> start_guard();
  void end_guard();
  std::optional<std::string> wait_for_report();
  Outcome guard_lost(double start, double clock);
  std::vector<pid_t> orphans() const;

  const std::atomic<bool>& stop_;
  ExecutorOptions options_;
  Channel channel_;
  pid_t guard_ = -1;
  std::vector<pid_t> children_before_;  ///< of the caller, none of our business
};

Result<void> ProcessExecutor::start_guard() {
  if (guard_ > 0) return {};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  children_before_ = children_of_this_process();
  auto ends = open_channel();
  if (!ends) return fail({.where = "kstar", .message = "no socket: " + reason_text(errno)});
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  guard_ = ::fork();
  const int reason = errno;
  if (guard_ == 0) live_as_guard(std::move(ends->second), options_);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (guard_ < 0) return fail({.where = "kstar", .message = "cannot fork: " + reason_text(reason)});
  channel_ = std::move(ends->first);
  return {};
}

void ProcessExecutor::end_guard() {
  channel_ = Channel(FileHandle());
  if (guard_ <= 0) return;
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_ = -1;
}

Result<Outcome> ProcessExecutor::run(const LaunchPlan& plan) {
  if (stop_) return Outcome{.interrupted = true};
  const double start = static_cast<double>(::time(nullptr));
  const double clock = monotonic_seconds();
  const std::string request = encode(plan);
  if (auto started = start_guard(); !started) return fail(started.error());
  if (!channel_.send(request)) {  // it was killed between two jobs: that costs nothing
    guard_lost(start, clock);
    if (auto started = start_guard(); !started) return fail(started.error());
    if (!channel_.send(request)) return guard_lost(start, clock);
  }
  const auto message = wait_for_report();
  if (!message) return guard_lost(start, clock);
  RunReport report = decode_report(*message);
  if (report.facts.failed != StartStep::kNone) {
    return fail(start_error(plan, report.facts.failed, report.facts.reason));
  }
  return to_outcome(std::move(report));
}

std::optional<std::string> ProcessExecutor::wait_for_report() {
  bool asked = false;
  pollfd file{channel_.fd(), POLLIN, 0};
  while (::poll(&file, 1, kLookAtStopMs) <= 0) {
    if (!stop_ || asked) continue;
    asked = true;
    if (!channel_.send({})) return std::nullopt;
  }
  return channel_.receive();
}

/// What came to this process because its parents died. A job and all that it starts live in
/// sessions of their own, and can never be in the caller's.
std::vector<pid_t> ProcessExecutor::orphans() const {
  std::vector<pid_t> found;
  for (const pid_t child : children_of_this_process()) {
    const bool known = std::count(children_before_.begin(), children_before_.end(), child) > 0;
    if (!known && ::getsid(child) != ::getsid(0)) found.push_back(child);
  }
  return found;
}

/// The job was killed with the guard; the rest of its tree came to us.
Outcome ProcessExecutor::guard_lost(double start, double clock) {
  end_guard();
  for (int pass = 0; pass < kCleanUpPasses; ++pass) {
    const std::vector<pid_t> found = orphans();
    if (found.empty()) break;
    signal_children(found, SIGKILL);
    for (const pid_t orphan : found) ::waitpid(orphan, nullptr, WNOHANG);
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  Outcome outcome;
  outcome.start = start;
  outcome.clock = clock;
  outcome.wall = monotonic_seconds() - clock;
  outcome.signal = SIGKILL;
  outcome.trouble = "the process that watches over the jobs was killed, and the job with it";
  return outcome;
}

}  // namespace

std::unique_ptr<Executor> process_executor(const std::atomic<bool>& stop,
                                           const ExecutorOptions& options) {
  return std::make_unique<ProcessExecutor>(stop, options);
}

}  // namespace kstar
