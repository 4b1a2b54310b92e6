#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "exec/channel.h"
#include "exec/job_runner.h"
#include "exec/messages.h"
#include "exec/orphans.h"
#include "exec/to_outcome.h"
#include "kstar/executor.h"

namespace kstar {

namespace {

/// How often `stop` is looked at when no signal breaks the wait.
constexpr int kLookAtStopMs = 100;

double monotonic_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// The life of the guard in its own process.
[[noreturn]] void live_as_guard(const Channel& own_end, const ExecutorOptions& options) {
  become_runner_process("kstar-guard");
  // Nothing of kstar's may stay open here: a lock, or a pipe whose end somebody waits for.
  const int kept = 3;
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int end = ::fcntl(own_end.fd(), F_DUPFD_CLOEXEC, kept);
  for (int fd = 0; fd < kept; ++fd) ::dup2(null, fd);
  if (end != kept) ::dup3(end, kept, O_CLOEXEC);
  ::close_range(kept + 1, ~0U, 0);

  Channel channel{FileHandle(kept)};
  JobRunner runner(channel, options);
  std::string last;
  PreparedJob job;
  while (!runner.alone()) {
    auto request = channel.receive();
    if (!request) break;
    if (request->empty()) continue;  // it asks to end a job that had just ended
    if (*request != last) job = PreparedJob(decode_plan(*request));
    last = std::move(*request);
    if (!channel.send(encode(runner.run(job, [] {})))) break;
  }
  ::_exit(0);
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

  Result<Outcome> run_beside(const LaunchPlan& plan, const std::function<void()>& work) override;

 private:
  Result<void> send(const std::string& request);
  Result<void> start_guard();
  void end_guard();
  std::optional<std::string> wait_for_report();
  Outcome guard_lost(double start, double clock);

  const std::atomic<bool>& stop_;
  ExecutorOptions options_;
  Channel channel_;
  pid_t guard_ = -1;
  Orphans orphans_;
};

Result<void> ProcessExecutor::start_guard() {
  if (guard_ > 0) return {};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto ends = open_channel();
  if (!ends) return fail(system_error("cannot make a socket", errno));
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  guard_ = ::fork();
  const int reason = errno;
  if (guard_ == 0) live_as_guard(ends->second, options_);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (guard_ < 0) return fail(system_error("cannot fork", reason));
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

Result<void> ProcessExecutor::send(const std::string& request) {
  if (auto started = start_guard(); !started) return started;
  if (channel_.send(request)) return {};
  // It was killed between two jobs: that costs nothing. The next one's end is seen by the wait.
  end_guard();
  orphans_.end();
  if (auto started = start_guard(); !started) return started;
  static_cast<void>(channel_.send(request));
  return {};
}

Result<Outcome> ProcessExecutor::run_beside(const LaunchPlan& plan,
                                            const std::function<void()>& work) {
  const double start = static_cast<double>(::time(nullptr));
  const double clock = monotonic_seconds();
  const bool stopped = stop_;
  const Result<void> sent = stopped ? Result<void>() : send(encode(plan));
  work();
  if (stopped) return Outcome{.interrupted = true};
  if (!sent) return fail(sent.error());
  const auto message = wait_for_report();
  if (!message) return guard_lost(start, clock);
  return to_outcome(plan, decode_report(*message));
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

/// The job was killed with the guard; the rest of its tree came to us.
Outcome ProcessExecutor::guard_lost(double start, double clock) {
  end_guard();
  orphans_.end();
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
