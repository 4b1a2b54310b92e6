#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <utility>

#include "exec/channel.h"
#include "exec/job_runner.h"
#include "exec/orphans.h"
#include "exec/to_outcome.h"
#include "kstar/executor.h"

namespace kstar {

namespace {

constexpr int kLookAtStopMs = 100;

/// Jobs are children of this very process: nothing goes between two processes from run to run.
class DirectExecutor final : public Executor {
 public:
  DirectExecutor(Channel& channel, std::atomic<bool>& stop, const ExecutorOptions& options)
      : channel_(channel), stop_(stop), runner_(channel, options) {}

  Result<Outcome> run_beside(const LaunchPlan& plan, const std::function<void()>& work) override {
    hear_channel();
    if (stop_) {
      work();
      return Outcome{.interrupted = true};
    }
    if (!(plan == plan_)) {
      plan_ = plan;
      job_ = PreparedJob(plan);
    }
    RunReport report = runner_.run(job_, work);
    if (runner_.alone()) ::_exit(1);
    if (report.facts.interrupted) stop_ = true;
    return to_outcome(plan, std::move(report));
  }

 private:
  /// What was said between two jobs.
  void hear_channel() {
    pollfd file{channel_.fd(), POLLIN, 0};
    if (::poll(&file, 1, 0) <= 0) return;
    if (!channel_.receive()) ::_exit(1);
    stop_ = true;
  }

  Channel& channel_;
  std::atomic<bool>& stop_;
  JobRunner runner_;
  LaunchPlan plan_;
  PreparedJob job_;
};

[[noreturn]] void live_as_body(Channel channel, const Supervised& body, std::atomic<bool>& stop,
                               const ExecutorOptions& options) {
  become_runner_process("kstar-run");
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  DirectExecutor executor(channel, stop, options);
  int status = static_cast<int>(ExitCode::kFailed);
  try {
    status = body(executor);
  } catch (const std::exception&) {
    status = static_cast<int>(ExitCode::kFailed);
  }
  ::_exit(status);
}

/// Passes `stop` on, and returns the body's status as wait(2) gives it.
int wait_for_body(pid_t process, Channel& channel, const std::atomic<bool>& stop) {
  bool asked = false;
  pollfd end{channel.fd(), POLLIN, 0};  // it never speaks: readable means that it has ended
  while (::poll(&end, 1, kLookAtStopMs) <= 0) {
    if (!stop || asked) continue;
    asked = true;
    channel.send({});
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<int> supervise(const Supervised& body, std::atomic<bool>& stop,
                      const ExecutorOptions& options) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Orphans orphans;
  auto ends = open_channel();
  if (!ends) return fail(system_error("cannot make a socket", errno));
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = ::fork();
  const int reason = errno;
  if (process == 0) {
    ends->first = Channel();
    live_as_body(std::move(ends->second), body, stop, options);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process < 0) return fail(system_error("cannot fork", reason));
  ends->second = Channel();
  const int status = wait_for_body(process, ends->first, stop);
  orphans.end();
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return fail({.where = "kstar",
               .message = "the process that measures was killed by signal " +
                          std::to_string(WTERMSIG(status)),
               .hint = "what it had measured is in the study; everything it ran was ended"});
}

}  // namespace kstar
