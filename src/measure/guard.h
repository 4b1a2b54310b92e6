#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/file.h"
#include "kstar/executor.h"
#include "measure/captured_output.h"
#include "measure/channel.h"
#include "measure/guard_messages.h"
#include "measure/spawn.h"

namespace kstar {

/// The process between kstar and its jobs. It starts each job, holds the clock, and is a subreaper:
/// whatever loses its parent below it becomes its child, so that having no child means that nothing
/// of the job is left. The end of the channel means that kstar has died.
class Guard {
 public:
  Guard(Channel channel, const ExecutorOptions& options);
  /// Runs what is asked for until kstar closes the channel or dies.
  void serve();

 private:
  enum class Phase { kRunning, kAsked, kKilled };

  RunReport run();
  bool open_files();
  void close_files();
  void start(RunFacts& facts);
  void watch(RunFacts& facts);
  bool reap_job(RunFacts& facts);
  void wait_for_event();
  void take_output();
  void hear_channel(RunFacts& facts);
  void end_job();
  void end_stragglers(RunFacts& facts);
  bool reap_stragglers(int& count);

  Channel channel_;
  ExecutorOptions options_;
  FileHandle null_;
  bool alone_ = false;           ///< kstar is gone
  bool channel_speaks_ = false;  ///< kstar said something, or is gone

  std::string request_;
  PreparedJob job_;
  FileHandle output_, output_end_;
  FileHandle error_, error_end_;
  CapturedOutput captured_output_, captured_error_;

  pid_t process_ = -1;
  std::int64_t started_ = 0;                ///< nanoseconds on the monotonic clock
  std::optional<std::int64_t> next_event_;  ///< when to look again even if nothing happens
  Phase phase_ = Phase::kRunning;
  std::set<pid_t> unended_;  ///< children that not even SIGKILL ended
};

/// The life of the guard in its own process, just forked with all signals blocked.
[[noreturn]] void live_as_guard(Channel channel, const ExecutorOptions& options);

}  // namespace kstar
