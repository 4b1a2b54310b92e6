#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/file.h"

namespace kstar {

/// How long the threads of a job were ready to run and had no CPU (field 2 of schedstat). The
/// kernel forgets a thread's count with the thread, and adds none up over a process: this looks
/// at all of them while they run, more and more rarely, so that a long run is looked at as often
/// as a short one, and scales what it saw to the CPU time that the whole job used in the end.
/// Searching for threads is dear, reading those that were found is cheap and happens in between:
/// many threads that run for tens of milliseconds are seen, too.
class CpuWaitWatch {
 public:
  void job_has_started(std::int64_t now);
  /// When the next look is due.
  std::int64_t next_look() const;
  /// At the job, `process`, and all that it started.
  void look(pid_t process);
  /// The job's first thread can be read until it is waited for.
  void last_look(pid_t process);
  /// Of a job that used `cpu` seconds; absent if little of them was seen.
  std::optional<double> waited(double cpu) const;

  /// The job has ended: its files are closed.
  void forget() { threads_.clear(); }

 private:
  struct Counts {
    double cpu = 0, waited = 0;  ///< nanoseconds
  };
  struct Thread {
    Counts seen;
    FileHandle file;  ///< its schedstat; none where there are very many threads
  };
  static bool read_counts(const FileHandle& file, Counts& counts);
  void search(pid_t process);
  void read_known();
  void look_at_thread(pid_t process, pid_t thread);
  std::int64_t pause_after(std::int64_t begin, std::int64_t end) const;

  std::int64_t start_ = 0, next_search_ = 0, next_reading_ = 0;
  std::unordered_map<pid_t, Thread> threads_;
  Counts ended_;  ///< of threads whose number another one has now
};

}  // namespace kstar
