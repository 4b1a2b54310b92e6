#include "exec/surroundings.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace kstar {

namespace {

/// /proc/stat counts in ticks of 10 ms: over fewer than these it says nothing. Its reading takes
/// microseconds a CPU, which only a long run is worth.
constexpr double kTicksThatTell = 5;

double ticks_a_second() {
  static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ticks;
}

/// Of all children that have been waited for so far, and of theirs.
double children_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

FileHandle open_counter(perf_type_id type, std::uint64_t what, bool in_jobs) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = what;
  attributes.exclude_kernel = type == PERF_TYPE_HARDWARE ? 1 : 0;  // all that users may count
  attributes.disabled = 1;
  attributes.inherit = in_jobs ? 1 : 0;
  attributes.enable_on_exec = in_jobs ? 1 : 0;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
                            static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
  return FileHandle(static_cast<int>(fd));
}

}  // namespace

/// The counter is off in this process and on from exec in each child: one for all jobs, opened
/// once. A second one that is not inherited keeps the kernel from swapping the counters of parent
/// and child when it switches between them (as it may while they are equal): the child's exec would
/// turn on, and use up, the parent's.
SurroundingsWatch::SurroundingsWatch(bool count_migrations)
    : stat_(::open("/proc/stat", O_RDONLY | O_CLOEXEC)) {
  if (!count_migrations) return;
  unshared_ = open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, false);
  if (!unshared_) return;
  migrations_ = open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true);
  instructions_ = open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true);
  cycles_ = open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true);
  migrations_before_ = read_counter(migrations_);
  instructions_before_ = read_counter(instructions_);
  cycles_before_ = read_counter(cycles_);
}

std::optional<CpuTicks> SurroundingsWatch::read_ticks() const {
  char text[512];
  const ssize_t got = stat_ ? ::pread(stat_.get(), text, sizeof text, 0) : -1;
  if (got <= 0) return std::nullopt;
  return cpu_ticks({text, static_cast<std::size_t>(got)});
}

std::optional<std::int64_t> SurroundingsWatch::read_counter(const FileHandle& counter) const {
  std::int64_t count = 0;
  if (!counter || ::read(counter.get(), &count, sizeof count) != sizeof count) return {};
  return count;
}

SmallOptional<double> SurroundingsWatch::counted(const FileHandle& counter,
                                                 std::optional<std::int64_t>& before) {
  const std::optional<std::int64_t> last = before;
  before = read_counter(counter);
  if (!before || !last) return std::nullopt;
  return static_cast<double>(*before - *last);
}

void SurroundingsWatch::job_has_started() {
  double load = 0;
  load_.reset();
  if (::getloadavg(&load, 1) == 1) load_ = load;
  children_cpu_ = children_cpu();
  ticks_ = read_ticks();
}

Usage SurroundingsWatch::job_has_ended(double wall) {
  Usage found;
  found.load = load_;
  if (const auto migrations = counted(migrations_, migrations_before_)) {
    found.migrations = static_cast<std::int64_t>(*migrations);
  }
  instructions_of_job_ = counted(instructions_, instructions_before_);
  cycles_of_job_ = counted(cycles_, cycles_before_);
  children_cpu_at_end_ = children_cpu();
  if (wall * ticks_a_second() < kTicksThatTell) return found;
  const auto ticks = read_ticks();
  if (!ticks || !ticks_) return found;
  const double busy = (ticks->busy - ticks_->busy) / ticks_a_second();
  // Ticks are samples, the job's own time is exact: the difference may fall below zero.
  found.cpu_others = std::max(0.0, busy - (children_cpu_at_end_ - children_cpu_));
  found.cpu_stolen = std::max(0.0, (ticks->stolen - ticks_->stolen) / ticks_a_second());
  return found;
}

double SurroundingsWatch::cpu_since_end() const {
  return children_cpu() - children_cpu_at_end_;
}

}  // namespace kstar
