#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/file.h"
#include "exec/captured_output.h"
#include "exec/cpu_wait.h"
#include "exec/messages.h"
#include "exec/spawn.h"
#include "exec/surroundings.h"
#include "kstar/executor.h"

namespace kstar {

/// Starts jobs, holds the clock, and ends whatever a job leaves behind. Its process has one thread
/// and is a subreaper: what loses its parent becomes its child, so that having no child means that
/// nothing of the job is left.
class JobRunner {
 public:
  /// A message on `channel` asks to end the job in flight; its end means that the peer has died.
  JobRunner(Channel& channel, const ExecutorOptions& options);

  /// Does `work` as soon as the job runs.
  RunReport run(const PreparedJob& job, const std::function<void()>& work);
  /// The peer has died: there is nobody left to run jobs for.
  bool alone() const { return alone_; }

 private:
  enum class Phase { kRunning, kAsked, kKilled };
  struct Pipes {
    FileHandle output, output_end, error, error_end;
  };

  bool prepare_next();
  void start(RunFacts& facts);
  void lower_memory_floor() const;
  void watch(RunFacts& facts);
  bool reap_job(RunFacts& facts);
  void wait_for_event();
  std::optional<std::int64_t> next_wake() const;
  void take_output();
  void read_channel(RunFacts& facts);
  void end_job();
  void end_stragglers(RunFacts& facts);
  void count_stragglers(RunFacts& facts) const;
  bool reap_stragglers(int& count);
  std::int64_t grace() const;

  Channel& channel_;
  ExecutorOptions options_;
  FileHandle null_;
  FileHandle clear_refs_;
  SurroundingsWatch surroundings_;
  CpuWaitWatch cpu_wait_;
  bool alone_ = false;
  bool channel_ready_ = false;

  const PreparedJob* job_ = nullptr;
  Pipes pipes_, next_pipes_, last_pipes_;
  CapturedOutput captured_output_, captured_error_;

  pid_t process_ = -1;
  std::int64_t started_ = 0;                ///< nanoseconds on the monotonic clock
  std::optional<std::int64_t> next_event_;  ///< when to look again even if nothing happens
  Phase phase_ = Phase::kRunning;
  std::set<pid_t> not_ended_;  ///< children that not even SIGKILL ended
};

/// Makes the calling process, just forked with all signals blocked, one that a JobRunner can live
/// in: a session of its own, a subreaper, every signal at its default.
void become_runner_process(const char* name);

}  // namespace kstar
