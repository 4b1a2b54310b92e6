#include "exec/job_runner.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>
#include <vector>

#include "exec/children.h"

namespace kstar {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// How long SIGKILL may take: a process in the middle of a disk or network operation dies late.
constexpr std::int64_t kKillPatience = 10 * kSecond;
/// How often the children are counted anew while they are ended; a child's end is noticed at once.
constexpr std::int64_t kLookAgain = kSecond / 100;

std::int64_t now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / static_cast<double>(kSecond);
}

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(seconds * static_cast<double>(kSecond));
}

/// The job that runs, and when it ended. A signal tells, so that nothing that is done meanwhile
/// counts into its time.
volatile pid_t watched_job = 0;
volatile std::int64_t watched_end = 0;

/// Of SIGCHLD, which may be about any child. System calls only.
void see_job_end(int) {
  const int kept = errno;
  siginfo_t ended{};
  if (watched_job > 0 && watched_end == 0 &&
      ::waitid(P_PID, static_cast<id_t>(watched_job), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      ended.si_pid == watched_job) {
    watched_end = now();
  }
  errno = kept;
}

void let_in_child_signal(bool in) {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(in ? SIG_UNBLOCK : SIG_BLOCK, &child, nullptr);
}

/// wait4 for any child that has ended; -1 when there is no child at all, 0 when none has ended.
pid_t reap_any(int& status, rusage& usage) {
  pid_t process = 0;
  do {
    process = ::wait4(-1, &status, WNOHANG, &usage);
  } while (process < 0 && errno == EINTR);
  return process;
}

/// In KiB, since it was last lowered.
long own_peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

bool open_pipe(FileHandle& read_end, FileHandle& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end = FileHandle(ends[0]);
  write_end = FileHandle(ends[1]);
  return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/// Reads what is there, at most `pieces` pieces, so that a flood on one pipe does not starve the
/// rest.
void drain(const FileHandle& pipe, CapturedOutput& to, int pieces) {
  static char piece[std::size_t{64} << 10U];
  while (pieces-- > 0) {
    const ssize_t got = ::read(pipe.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    to.append({piece, static_cast<std::size_t>(got)});
    if (static_cast<std::size_t>(got) < sizeof piece) return;
  }
}

}  // namespace

JobRunner::JobRunner(Channel& channel, const ExecutorOptions& options)
    : channel_(channel),
      options_(options),
      null_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
      clear_refs_(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)),
      surroundings_(options.count_migrations),
      captured_output_(options.output_head, options.output_tail),
      captured_error_(options.output_head, options.output_tail) {}

/// The pipes of the next job are made, and those of the last one closed, while this one runs: no
/// time goes between two jobs. They are not used twice: what got hold of an end might still write.
bool JobRunner::prepare_next() {
  last_pipes_ = {};
  if (next_pipes_.error) return true;
  return open_pipe(next_pipes_.output, next_pipes_.output_end) &&
         open_pipe(next_pipes_.error, next_pipes_.error_end);
}

RunReport JobRunner::run(const PreparedJob& job, const std::function<void()>& work) {
  RunReport report;
  RunFacts& facts = report.facts;
  if (!next_pipes_.error && !prepare_next()) {
    facts.failed = StartStep::kPipes;
    facts.reason = errno;
    work();
    return report;
  }
  pipes_ = std::exchange(next_pipes_, {});
  job_ = &job;
  start(facts);
  work();
  if (facts.failed == StartStep::kNone) {
    surroundings_.job_has_started();
    facts.memory_floor = own_peak_memory();
    prepare_next();
    let_in_child_signal(false);  // from here on a wait lets it in
    watch(facts);
    end_stragglers(facts);
    count_stragglers(facts);
    take_output();
  }
  last_pipes_ = std::exchange(pipes_, {});
  report.output = captured_output_.take();
  report.error_output = captured_error_.take();
  return report;
}

/// A process that execs takes the peak of the memory it shared with its parent along, into its own
/// ru_maxrss (exec_mmap() in fs/exec.c). "5" makes our peak what we hold now.
void JobRunner::lower_memory_floor() const {
  // Where it fails the floor is higher.
  [[maybe_unused]] const ssize_t written = ::write(clear_refs_.get(), "5", 1);
}

void JobRunner::start(RunFacts& facts) {
  lower_memory_floor();
  facts.start = seconds(now(CLOCK_REALTIME));
  started_ = now();
  const Spawned spawned = spawn(
      *job_,
      {.input = null_.get(), .output = pipes_.output_end.get(), .error = pipes_.error_end.get()});
  facts.clock = seconds(started_);
  facts.failed = spawned.failed;
  facts.reason = spawned.reason;
  process_ = spawned.process;
  if (facts.failed == StartStep::kNone) {
    watched_end = 0;
    watched_job = process_;
    cpu_wait_.job_has_started(started_);
    let_in_child_signal(true);
  }
  phase_ = Phase::kRunning;
  next_event_.reset();
  if (job_->time_limit > 0) next_event_ = started_ + nanoseconds(job_->time_limit);
  if (facts.failed != StartStep::kNone && process_ > 0) ::waitpid(process_, nullptr, 0);
}

/// Until the job has ended, or cannot be ended.
void JobRunner::watch(RunFacts& facts) {
  do {
    if (watched_end == 0) wait_for_event();
    if (reap_job(facts)) return;
    take_output();
    read_channel(facts);
    if (phase_ == Phase::kRunning && now() >= cpu_wait_.next_look()) cpu_wait_.look(process_);
    if (!next_event_ || now() < *next_event_) continue;
    if (phase_ == Phase::kRunning) facts.timed_out = true;
    if (phase_ == Phase::kKilled) {
      facts.wall = seconds(now() - started_);
      not_ended_.insert(process_);
      watched_job = 0;
      return;
    }
    end_job();
  } while (true);
}

/// Children of the job that lost their parents are reaped on the way.
bool JobRunner::reap_job(RunFacts& facts) {
  if (watched_end > 0) cpu_wait_.last_look(process_);
  int status = 0;
  rusage usage{};
  for (pid_t process = 0; (process = reap_any(status, usage)) > 0;) {
    if (process != process_) continue;
    watched_job = 0;
    facts.wall = seconds((watched_end > 0 ? watched_end : now()) - started_);
    facts.ended = true;
    facts.status = status;
    facts.usage = usage;
    facts.surroundings = surroundings_.job_has_ended(facts.wall);
    facts.surroundings.cpu_wait =
        cpu_wait_.waited(seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    cpu_wait_.forget();
    facts.instructions = surroundings_.instructions();
    facts.cycles = surroundings_.cycles();
    return true;
  }
  return false;
}

/// The next event or, while the job runs, the next look at its threads.
std::optional<std::int64_t> JobRunner::next_wake() const {
  if (watched_job == 0 || phase_ != Phase::kRunning) return next_event_;
  return next_event_ ? std::min(*next_event_, cpu_wait_.next_look()) : cpu_wait_.next_look();
}

/// Sleeps until a child ends, output comes, kstar says something, or the next event is due. The
/// guard holds the pipes' writing ends: a job that closes its output wakes nobody.
void JobRunner::wait_for_event() {
  pollfd files[] = {{pipes_.output.get(), POLLIN, 0},
                    {pipes_.error.get(), POLLIN, 0},
                    {alone_ ? -1 : channel_.fd(), POLLIN, 0}};
  sigset_t all_but_child;
  ::sigfillset(&all_but_child);
  ::sigdelset(&all_but_child, SIGCHLD);
  const std::optional<std::int64_t> wake = next_wake();
  timespec left{};
  if (wake) {
    const std::int64_t wait = std::max<std::int64_t>(0, *wake - now());
    left = {wait / kSecond, wait % kSecond};
  }
  const int ready = ::ppoll(files, 3, wake ? &left : nullptr, &all_but_child);
  channel_ready_ = ready > 0 && files[2].revents != 0;
}

void JobRunner::take_output() {
  const int pieces = 16;  // a full pipe
  drain(pipes_.output, captured_output_, pieces);
  drain(pipes_.error, captured_error_, pieces);
}

void JobRunner::read_channel(RunFacts& facts) {
  if (!channel_ready_) return;
  if (!channel_.receive()) alone_ = true;
  if (phase_ != Phase::kRunning && !alone_) return;
  facts.interrupted = true;
  end_job();
}

/// Asks at first, and insists when the grace is over. Where kstar is dead, somebody may start it
/// again at any moment: nothing may linger.
void JobRunner::end_job() {
  const bool first = phase_ == Phase::kRunning && !alone_;
  signal_children(children_of_this_process(), first ? SIGTERM : SIGKILL);
  phase_ = first ? Phase::kAsked : Phase::kKilled;
  next_event_ = now() + (first ? grace() : kKillPatience);
}

std::int64_t JobRunner::grace() const {
  return nanoseconds(job_->grace > 0 ? job_->grace : options_.grace);
}

/// Reaps what has ended. True when there is no child but those given up before.
bool JobRunner::reap_stragglers(int& count) {
  int status = 0;
  rusage usage{};
  pid_t process = 0;
  while ((process = reap_any(status, usage)) > 0) {
    count += not_ended_.erase(process) == 0 ? 1 : 0;
  }
  if (process < 0) return true;
  if (not_ended_.empty()) return false;
  for (const pid_t child : children_of_this_process()) {
    if (!not_ended_.contains(child)) return false;
  }
  return true;
}

void JobRunner::end_stragglers(RunFacts& facts) {
  int ended_by_themselves = 0;
  if (reap_stragglers(ended_by_themselves)) return;
  const std::int64_t begin = now();
  const std::int64_t patience = alone_ || phase_ == Phase::kKilled ? 0 : grace();
  std::set<pid_t> asked;
  do {
    const bool kill = now() >= begin + patience;
    std::vector<pid_t> children;
    for (const pid_t child : children_of_this_process()) {
      if (not_ended_.contains(child) || (!kill && !asked.insert(child).second)) continue;
      children.push_back(child);
    }
    if (now() >= begin + patience + kKillPatience) {
      not_ended_.insert(children.begin(), children.end());
      facts.not_ended = static_cast<int>(children.size());
      return;
    }
    signal_children(children, kill ? SIGKILL : SIGTERM);
    next_event_ = now() + kLookAgain;
    wait_for_event();
    take_output();
  } while (!reap_stragglers(facts.stragglers));
}

/// Children that outlived the job were the job's, not another's. What they used behind its end is
/// not: they are taken to use as much all the time.
void JobRunner::count_stragglers(RunFacts& facts) const {
  const double used = facts.ended ? surroundings_.cpu_since_end() : 0;
  if (!(used > 0)) return;
  const double own = used * facts.wall / std::max(facts.wall, seconds(now() - started_));
  const double user = seconds_of(facts.usage.ru_utime) + own;
  facts.usage.ru_utime.tv_sec = static_cast<time_t>(user);
  facts.usage.ru_utime.tv_usec =
      static_cast<suseconds_t>((user - static_cast<double>(facts.usage.ru_utime.tv_sec)) * 1e6);
  SmallOptional<double>& others = facts.surroundings.cpu_others;
  if (others) others = std::max(0.0, *others - own);
}

void become_runner_process(const char* name) {
  // Large blocks go back to the system when they are freed: what this process holds is the floor of
  // every job's peak memory.
  const int large = 128 << 10;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, large);
  ::setsid();  // a signal to kstar's process group is not for this process
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action {};
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  action.sa_handler = see_job_end;  // and it ends a wait
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCHLD, &action, nullptr);
}

}  // namespace kstar
