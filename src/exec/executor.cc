#include "kstar/executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "exec/children.h"
#include "exec/job_cgroup.h"
#include "exec/job_runner.h"
#include "exec/left_behind.h"
#include "exec/messages.h"
#include "exec/program.h"
#include "exec/spawn.h"

namespace kstar {

namespace {

std::string reason_text(int number) {
  return std::error_code(number, std::generic_category()).message();
}

/// What was missing when `step` failed for the errno value `reason`, and what helps.
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
  } else if (reason == ENOENT && program.find(' ') != std::string::npos) {
    error.hint = "the quotes make one word of it: leave them out, or use --shell";
  } else if (reason == ENOENT && program.find('/') == std::string::npos) {
    error.hint = "there is no such program in PATH; for one in this folder write ./" + program;
  } else if (reason == ENOENT) {
    error.hint = "the program is not there, or the interpreter named in its first line is not";
  } else if (reason == EACCES) {
    error.hint = "it is not executable: use chmod +x";
  } else if (reason == ENOEXEC) {
    error.hint = "a script needs a first line such as #!/bin/sh, or a shell to run it";
  }
  return error;
}

/// A job that could not be started becomes an error that says what was missing.
Result<Outcome> to_outcome(const LaunchPlan& plan, RunReport report) {
  const RunFacts& facts = report.facts;
  if (facts.failed != StartStep::kNone) {
    return fail(start_error(plan, facts.failed, facts.reason));
  }
  Outcome outcome;
  outcome.start = facts.start;
  outcome.clock = facts.clock;
  outcome.wall = facts.wall;
  if (facts.ended && WIFEXITED(facts.status)) outcome.exit_status = WEXITSTATUS(facts.status);
  if (facts.ended && WIFSIGNALED(facts.status)) outcome.signal = WTERMSIG(facts.status);
  outcome.timed_out = facts.timed_out;
  outcome.interrupted = facts.interrupted;
  outcome.stragglers = facts.stragglers;
  if (const int left = facts.not_ended + (facts.ended ? 0 : 1); left > 0) {
    outcome.trouble = fmt::format("{} of its processes could not be ended", left);
  }
  outcome.usage = facts.surroundings;
  outcome.usage.cpu_user = seconds_of(facts.usage.ru_utime);
  outcome.usage.cpu_system = seconds_of(facts.usage.ru_stime);
  if (facts.usage.ru_maxrss > facts.memory_floor) {
    outcome.usage.peak_memory = facts.usage.ru_maxrss * 1024;
  }
  if (facts.instructions || facts.cycles) {
    outcome.counters.emplace() = {.instructions = facts.instructions, .cycles = facts.cycles};
  }
  outcome.usage.minor_faults = facts.usage.ru_minflt;
  outcome.usage.major_faults = facts.usage.ru_majflt;
  outcome.usage.voluntary_switches = facts.usage.ru_nvcsw;
  outcome.usage.involuntary_switches = facts.usage.ru_nivcsw;
  outcome.output = std::move(report.output.text);
  outcome.output_left_out = report.output.left_out;
  outcome.error_output = std::move(report.error_output.text);
  outcome.error_left_out = report.error_output.left_out;
  return outcome;
}

/// 0, or why chdir(2) would refuse.
int folder_problem(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return errno;
  if (!S_ISDIR(facts.st_mode)) return ENOTDIR;
  return ::access(folder.c_str(), X_OK) == 0 ? 0 : errno;
}

/// A process that runs jobs, and the channel to it.
struct RunnerProcess {
  pid_t process = -1;
  Channel channel;
};

/// Forks one that lives as `life` says, with all signals blocked. What it leaves behind comes here.
Result<RunnerProcess> fork_runner(const std::function<void(Channel)>& life) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto ends = open_channel();
  if (!ends) return fail(system_error("cannot create a socket", errno));
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = ::fork();
  const int reason = errno;
  if (process == 0) {
    ends->first = Channel();
    life(std::move(ends->second));
    ::_exit(0);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process < 0) return fail(system_error("cannot fork", reason));
  return RunnerProcess{process, std::move(ends->first)};
}

/// Until the runner speaks or has ended. `stop` is passed on to it; false when nobody hears it, or
/// `insist` says that nobody need hear it.
bool wait_and_pass_on(Channel& channel, const std::atomic<bool>& stop,
                      const std::atomic<bool>* insist = nullptr) {
  constexpr int kLookAtStopMs = 100;  // when no signal breaks the wait
  bool asked = false;
  pollfd file{channel.fd(), POLLIN, 0};
  while (::poll(&file, 1, kLookAtStopMs) <= 0) {
    if (insist != nullptr && *insist) return false;
    if (!stop || asked) continue;
    asked = true;
    if (!channel.send({})) return false;
  }
  return true;
}

/// Its status as wait(2) gives it.
int wait_for_end(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

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

  Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) override;

 private:
  Result<void> send(const std::string& request);
  Result<void> start_guard();
  void end_guard();
  Outcome guard_lost(double start, double clock);

  const std::atomic<bool>& stop_;
  ExecutorOptions options_;
  Channel channel_;
  pid_t guard_ = -1;
  Orphans orphans_;
};

Result<void> ProcessExecutor::start_guard() {
  if (guard_ > 0) return {};
  Result<RunnerProcess> guard =
      fork_runner([this](const Channel& channel) { live_as_guard(channel, options_); });
  if (!guard) return fail(guard.error());
  guard_ = guard->process;
  channel_ = std::move(guard->channel);
  return {};
}

void ProcessExecutor::end_guard() {
  channel_ = Channel(FileHandle());
  if (guard_ > 0) wait_for_end(guard_);
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

Result<Outcome> ProcessExecutor::run_during(const LaunchPlan& plan,
                                            const std::function<void()>& work) {
  const double start = static_cast<double>(::time(nullptr));
  const double clock = monotonic_seconds();
  const bool stopped = stop_ && !plan.after_stop;
  const Result<void> sent = stopped ? Result<void>() : send(encode(plan));
  work();
  if (stopped) return Outcome{.interrupted = true};
  if (!sent) return fail(sent.error());
  const auto message =
      wait_and_pass_on(channel_, stop_) ? channel_.receive() : std::optional<std::string>();
  if (!message) return guard_lost(start, clock);
  return to_outcome(plan, decode_report(*message));
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
  outcome.trouble = "the process that supervises the jobs was killed, and the job with it";
  return outcome;
}

/// Jobs are children of this very process: nothing goes between two processes from run to run.
class DirectExecutor final : public Executor {
 public:
  DirectExecutor(Channel& channel, std::atomic<bool>& stop, const ExecutorOptions& options)
      : channel_(channel), stop_(stop), runner_(channel, options) {}

  Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) override {
    read_channel();
    if (stop_ && !plan.after_stop) {
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
  void read_channel() {
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
  enter_job_cgroup(owner_mark());
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

}  // namespace

std::unique_ptr<Executor> process_executor(const std::atomic<bool>& stop,
                                           const ExecutorOptions& options) {
  return std::make_unique<ProcessExecutor>(stop, options);
}

Result<void> check_program_can_start(const LaunchPlan& plan) {
  if (!plan.folder.empty()) {
    if (const int problem = folder_problem(plan.folder); problem != 0) {
      return fail(start_error(plan, StartStep::kFolder, problem));
    }
  }
  const int problem = program_problem(PreparedJob(plan).program, plan.folder);
  if (problem == 0) return {};
  return fail(start_error(plan, StartStep::kProgram, problem));
}

Result<int> supervise(const Supervised& body, std::atomic<bool>& stop,
                      const ExecutorOptions& options) {
  const Orphans orphans;
  Result<RunnerProcess> runner =
      fork_runner([&](Channel channel) { live_as_body(std::move(channel), body, stop, options); });
  if (!runner) return fail(runner.error());
  // It never speaks: what comes from it is its end.
  static_cast<void>(wait_and_pass_on(runner->channel, stop, options.insist));
  if (options.insist != nullptr && *options.insist) ::kill(runner->process, SIGKILL);
  const int status = wait_for_end(runner->process);
  orphans.end();
  const std::string runners = std::to_string(runner->process) + ".";
  end_job_cgroups([&](const std::string& mark) { return mark.starts_with(runners); });
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (options.insist != nullptr && *options.insist) {
    return static_cast<int>(ExitCode::kInterrupted);
  }
  return fail({.where = "kstar",
               .message = "the process that measures was killed by signal " +
                          std::to_string(WTERMSIG(status)),
               .hint = "what it had measured is in the study; everything it ran was ended"});
}

}  // namespace kstar
