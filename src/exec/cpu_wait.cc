#include "exec/cpu_wait.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>
#include <string_view>

#include "exec/children.h"

namespace kstar {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
/// Shorter runs are not looked at: a look takes 10 us a thread.
constexpr std::int64_t kFirstLook = 10 * kMillisecond;
/// The next look comes after this share of the time so far: what was not seen stays below it.
constexpr double kMore = 0.07;
/// A look may take one part in so many of a CPU's time.
constexpr std::int64_t kOneIn = 300;
/// Reading a thread that is known takes less than one part in so many of finding it.
constexpr std::int64_t kCheaper = 8;
/// Threads whose files are kept open.
constexpr std::size_t kMostFiles = 256;
/// With less of the CPU time seen, what was seen need not be like the rest.
constexpr double kEnoughSeen = 0.8;

std::int64_t clock_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * kMillisecond + time.tv_nsec;
}

std::string schedstat_of(pid_t process, pid_t thread) {
  return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/schedstat";
}

/// "12345 678 9": on a CPU, waiting for one, and how often, in nanoseconds.
bool parse_schedstat(std::string_view text, double& cpu, double& waited) {
  std::int64_t values[2];
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::int64_t& value : values) {
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    at = std::min(next + 1, end);
  }
  cpu = static_cast<double>(values[0]);
  waited = static_cast<double>(values[1]);
  return true;
}

}  // namespace

void CpuWaitWatch::job_has_started(std::int64_t now) {
  start_ = now;
  next_search_ = next_reading_ = now + kFirstLook;
  threads_.clear();
  ended_ = {};
}

std::int64_t CpuWaitWatch::next_look() const {
  return std::min(next_search_, next_reading_);
}

bool CpuWaitWatch::read_counts(const FileHandle& file, Counts& counts) {
  char text[128];
  const ssize_t got = ::pread(file.get(), text, sizeof text, 0);
  return got > 0 && parse_schedstat(std::string_view(text, static_cast<std::size_t>(got)),
                                    counts.cpu, counts.waited);
}

void CpuWaitWatch::look_at_thread(pid_t process, pid_t thread) {
  Counts now;
  if (const auto known = threads_.find(thread);
      known != threads_.end() && known->second.file && read_counts(known->second.file, now)) {
    known->second.seen = now;
    return;
  }
  FileHandle file(::open(schedstat_of(process, thread).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || !read_counts(file, now)) return;
  Thread& one = threads_[thread];
  const bool another = one.file || now.cpu < one.seen.cpu;
  if (another) {
    ended_.cpu += one.seen.cpu;
    ended_.waited += one.seen.waited;
  }
  one.seen = now;
  one.file = threads_.size() <= kMostFiles ? std::move(file) : FileHandle();
}

std::int64_t CpuWaitWatch::pause_after(std::int64_t begin, std::int64_t end) const {
  const auto later = static_cast<std::int64_t>(kMore * static_cast<double>(end - start_));
  return std::max({later, kFirstLook / 2, kOneIn * (end - begin)});
}

void CpuWaitWatch::search(pid_t process) {
  const std::int64_t begin = clock_now();
  std::vector<pid_t> tree = {process};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const pid_t thread : threads_of(tree[i])) {
      look_at_thread(tree[i], thread);
      append_children(tree[i], thread, tree);
    }
  }
  const std::int64_t end = clock_now();
  next_search_ = end + pause_after(begin, end);
  next_reading_ = end + pause_after(begin, begin + (end - begin) / kCheaper);
}

void CpuWaitWatch::read_known() {
  const std::int64_t begin = clock_now();
  for (auto& [number, thread] : threads_) {
    Counts now;
    if (thread.file && read_counts(thread.file, now)) thread.seen = now;
  }
  const std::int64_t end = clock_now();
  next_reading_ = end + pause_after(begin, end);
}

void CpuWaitWatch::look(pid_t process) {
  if (next_search_ <= clock_now()) {
    search(process);
  } else {
    read_known();
  }
}

void CpuWaitWatch::last_look(pid_t process) {
  if (!threads_.empty()) look_at_thread(process, process);
}

std::optional<double> CpuWaitWatch::waited(double cpu) const {
  Counts all = ended_;
  for (const auto& [number, thread] : threads_) {
    all.cpu += thread.seen.cpu;
    all.waited += thread.seen.waited;
  }
  const double seen = all.cpu / 1e9;
  if (!(seen > 0) || seen < kEnoughSeen * cpu) return std::nullopt;
  return all.waited / 1e9 * std::max(1.0, cpu / seen);
}

}  // namespace kstar
