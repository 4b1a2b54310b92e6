#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "base/file.h"
#include "exec/spawn.h"

namespace kstar {

/// Many short processes at once, without their output. All signals of the caller are blocked while
/// this lives, as spawn() asks for.
class ConcurrentJobs {
 public:
  ConcurrentJobs(const std::vector<std::string>& command, FileHandle null);
  ~ConcurrentJobs() { end_all(); }
  ConcurrentJobs(const ConcurrentJobs&) = delete;
  ConcurrentJobs& operator=(const ConcurrentJobs&) = delete;

  bool has_program() const { return !job_.program.empty(); }
  /// One more, known by `key`, killed after `seconds`.
  Spawned start(std::size_t key, double seconds);

  struct Ended {
    std::size_t key = 0;
    int status = 0;  ///< of exit
    int signal = 0;
    bool timed_out = false;
  };
  /// Those that have ended; kills those whose time is over.
  std::vector<Ended> take_ended();
  /// Can be read when one has ended.
  int file() const { return ended_.get(); }
  /// Seconds until one is to be killed, or `most`.
  double until_next(double most) const;
  /// Kills all that still run, and what they started in their process groups.
  void end_all();

 private:
  struct Running {
    std::size_t key = 0;
    double deadline = 0;
    bool killed = false;
  };

  PreparedJob job_;
  FileHandle null_;
  FileHandle ended_;
  std::map<pid_t, Running> running_;
};

}  // namespace kstar
