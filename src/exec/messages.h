#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "exec/captured_output.h"
#include "exec/surroundings.h"
#include "kstar/executor.h"

/// What kstar and its guard tell each other, and how. Both are the same program, so that values
/// travel as they lie in memory. An empty message asks the guard to end the job in flight.
namespace kstar {

/// Where starting a job failed.
enum class StartStep { kNone, kPipes, kProcess, kFolder, kCpus, kProgram };

struct RunFacts {
  StartStep failed = StartStep::kNone;
  int reason = 0;  ///< errno of the failed step
  double start = 0;
  double clock = 0;
  double wall = 0;
  bool ended = false;  ///< false: it could not be ended, even by SIGKILL
  int status = 0;      ///< as wait(2) gives it
  rusage usage{};
  long memory_floor = 0;  ///< what usage.ru_maxrss cannot fall below, in KiB
  Usage surroundings;     ///< without what `usage` has
  SmallOptional<double> instructions, cycles;
  bool timed_out = false;
  bool interrupted = false;
  int stragglers = 0;
  int not_ended = 0;  ///< processes that could not be ended
};

struct RunReport {
  RunFacts facts;
  KeptText output;
  KeptText error_output;
};

std::string encode(const LaunchPlan& plan);
LaunchPlan decode_plan(std::string_view message);

std::string encode(const RunReport& report);
RunReport decode_report(std::string_view message);

/// Whole messages over a connected stream socket. Neither a signal nor a dead peer raises anything:
/// a dead peer is a false, or nothing.
class Channel {
 public:
  Channel() = default;
  explicit Channel(FileHandle socket) : socket_(std::move(socket)) {}

  bool send(std::string_view message);
  /// Waits for the next message.
  std::optional<std::string> receive();
  int fd() const { return socket_.get(); }

 private:
  bool receive_into(char* to, std::size_t size);

  FileHandle socket_;
};

/// The two ends of a new channel, closed on exec; empty when the system has none (errno).
std::optional<std::pair<Channel, Channel>> open_channel();

}  // namespace kstar
