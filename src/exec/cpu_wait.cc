#include "exec/cpu_wait.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

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
/// With less of the CPU time seen, what was seen need not be like the rest.
constexpr double kEnoughSeen = 0.8;

std::int64_t clock_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * kMillisecond + time.tv_nsec;
}

std::string folder_of(pid_t process, pid_t thread) {
  return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread);
}

/// "12345 678 9": on a CPU, waiting for one, and how often, in nanoseconds.
bool parse_schedstat(const std::string& text, double& cpu, double& waited) {
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
  next_ = now + kFirstLook;
  threads_.clear();
  ended_ = {};
}

void CpuWaitWatch::look_at_thread(pid_t process, pid_t thread) {
  const auto text = read_process_file(folder_of(process, thread) + "/schedstat");
  Seen now;
  if (!text || !parse_schedstat(*text, now.cpu, now.waited)) return;
  Seen& before = threads_[thread];
  if (now.cpu < before.cpu) {
    ended_.cpu += before.cpu;
    ended_.waited += before.waited;
  }
  before = now;
}

void CpuWaitWatch::look(pid_t process) {
  const std::int64_t begin = clock_now();
  std::vector<pid_t> tree = {process};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const pid_t thread : threads_of(tree[i])) {
      look_at_thread(tree[i], thread);
      append_children(tree[i], thread, tree);
    }
  }
  const std::int64_t end = clock_now();
  const auto later = static_cast<std::int64_t>(kMore * static_cast<double>(end - start_));
  next_ = end + std::max({later, kFirstLook / 2, kOneIn * (end - begin)});
}

void CpuWaitWatch::last_look(pid_t process) {
  if (!threads_.empty()) look_at_thread(process, process);
}

std::optional<double> CpuWaitWatch::waited(double cpu) const {
  Seen all = ended_;
  for (const auto& [thread, seen] : threads_) {
    all.cpu += seen.cpu;
    all.waited += seen.waited;
  }
  const double seen = all.cpu / 1e9;
  if (!(seen > 0) || seen < kEnoughSeen * cpu) return std::nullopt;
  return all.waited / 1e9 * std::max(1.0, cpu / seen);
}

}  // namespace kstar
