#include "launch/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/duration.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr double kLookAtStop = 0.1;

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

WatchClock watch_clock(const std::atomic<bool>& stop) {
  const auto rest = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  const auto pause = [&stop, rest](double seconds) {
    const double end = monotonic_seconds() + seconds;
    for (double left = seconds; left > 0 && !stop; left = end - monotonic_seconds()) {
      rest(std::min(left, kLookAtStop));
    }
  };
  return {.now = monotonic_seconds, .pause = pause, .rest = rest};
}

WatchClock uninterrupted_clock() {
  static const std::atomic<bool> never{false};
  return watch_clock(never);
}

double Pace::next() {
  const double now = seconds_;
  seconds_ = std::min(kLongest, seconds_ * kGrowth);
  return now;
}

Result<void> Patience::answered(const TakeNote& note) {
  if (!since_) return {};
  const double silence = clock_.now() - *since_;
  since_.reset();
  return note({.severity = Severity::kInfo,
               .what = "slurm-answers",
               .where = "slurm",
               .text = fmt::format("it answers again, after {:.0f} s", silence)});
}

Result<void> Patience::silent(const std::string& trouble, const TakeNote& note) {
  const double now = clock_.now();
  if (!since_) {
    since_ = now;
    return note({.severity = Severity::kWarning,
                 .what = "slurm-silent",
                 .where = "slurm",
                 .text = fmt::format(
                     "it does not answer ({}); the jobs are not affected, and kstar retries for {}",
                     printable(trouble), duration_text(limit_))});
  }
  if (now - *since_ < limit_) return {};
  return fail({.where = "slurm",
               .message = fmt::format("it has not answered for {}: {}", duration_text(limit_),
                                      printable(trouble)),
               .hint = "--resume collects the jobs; --patience sets how long to wait"});
}

}  // namespace kstar
