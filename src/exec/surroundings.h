#pragma once

#include <sys/time.h>

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "exec/system_files.h"
#include "kstar/usage.h"

namespace kstar {

inline double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Watches the surroundings of one job after another, without a part in their time: it looks when
/// the job has been started, and when it has been waited for. It lives in the process whose
/// children the jobs are, and in the thread that starts them.
class SurroundingsWatch {
 public:
  explicit SurroundingsWatch(bool count_migrations);

  void job_has_started();
  /// `wall` is how long it ran, in seconds.
  Usage job_has_ended(double wall);

  /// CPU seconds of the children that were waited for since then.
  double cpu_since_end() const;
  /// Of the last job, in user mode; absent where they may not be counted.
  SmallOptional<double> instructions() const { return instructions_of_job_; }
  SmallOptional<double> cycles() const { return cycles_of_job_; }

 private:
  std::optional<CpuTicks> read_ticks() const;
  std::optional<std::int64_t> read_counter(const FileHandle& counter) const;
  SmallOptional<double> counted(const FileHandle& counter, std::optional<std::int64_t>& before);

  FileHandle stat_;                   ///< /proc/stat
  FileHandle migrations_;             ///< a counter that every job inherits
  FileHandle instructions_, cycles_;  ///< likewise
  FileHandle unshared_;               ///< see the constructor
  std::optional<double> load_;
  std::optional<CpuTicks> ticks_;
  double children_cpu_ = 0;
  double children_cpu_at_end_ = 0;
  std::optional<std::int64_t> migrations_before_, instructions_before_, cycles_before_;
  SmallOptional<double> instructions_of_job_, cycles_of_job_;
};

}  // namespace kstar
