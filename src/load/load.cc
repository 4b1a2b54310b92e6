#include "kstar/load.h"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <unordered_map>

#include "base/file.h"
#include "base/number.h"
#include "base/try.h"
#include "kstar/latency.h"
#include "load/load_log.h"
#include "load/requests.h"

namespace kstar {

double load_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {

constexpr double kNoteEvery = 0.01;  ///< seconds between notes of what was sent

/// Signals that ask to stop come as a file while this lives; all others are blocked, too, as
/// starting processes needs it.
class StopSignals {
 public:
  StopSignals() {
    sigset_t all, asked;
    sigfillset(&all);
    sigemptyset(&asked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&asked, signal);
    ::sigprocmask(SIG_SETMASK, &all, &before_);
    file_ = FileHandle(::signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int file() const { return file_.get(); }
  bool asked() const {
    signalfd_siginfo info{};
    return ::read(file_.get(), &info, sizeof info) > 0;
  }

 private:
  sigset_t before_{};
  FileHandle file_;
};

/// Wakes a poll at a moment of load_clock().
class Alarm {
 public:
  Alarm() : file_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  int file() const { return file_.get(); }
  void set(double at) const {
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(at);
    when.it_value.tv_nsec =
        std::clamp(static_cast<long>((at - std::floor(at)) * 1e9), 1L, 999999999L);
    ::timerfd_settime(file_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  }
  void clear() const {
    std::uint64_t count = 0;
    (void)!::read(file_.get(), &count, sizeof count);
  }

 private:
  FileHandle file_;
};

/// Refuses what is out of bounds.
Result<void> check(const LoadSpec& spec) {
  if (!(spec.rate > 0) || spec.rate > kMostLoadRate) {
    return fail(
        expected("--rate", "requests per second, above 0 and at most 100000", shortest(spec.rate)));
  }
  if (!(spec.time > 0) || spec.time > kMostLoadTime) {
    return fail(expected("--time", "a time above 0 and at most 24h", shortest(spec.time)));
  }
  if (spec.most < 1 || spec.most > kMostLoadRequests) {
    return fail(
        expected("--count", "a whole number from 1 to 10000000", std::to_string(spec.most)));
  }
  return {};
}

class Generator {
 public:
  Generator(const LoadSpec& spec, Requests& requests, LoadLog& log)
      : spec_(spec), requests_(requests), log_(log) {
    const double all = std::min(std::floor(spec.rate * spec.time * (1 + 1e-12)) + 1,
                                static_cast<double>(spec.most));
    due_ = arrival_times(
        spec.rate, spec.poisson, spec.seed,
        static_cast<std::size_t>(spec.poisson ? std::min(all * 1.2 + 100, 1.2e7) : all));
    while (!due_.empty() && due_.back() >= spec.time) due_.pop_back();
    if (due_.size() > spec.most) due_.resize(spec.most);
  }

  Result<LoadResult> run() {
    start_ = load_clock();
    std::vector<EndedRequest> ended;
    while (true) {
      KSTAR_CHECK(send_due());
      const bool all_sent = next_ == due_.size();
      if (all_sent && in_flight_.empty()) break;
      // Requests end by their own timeout; this ends those that do not.
      if (all_sent && now() > due_.back() + late_limit()) break;
      if (!all_sent && in_flight_.size() < spec_.most_in_flight) alarm_.set(start_ + due_[next_]);
      KSTAR_CHECK(log_.flush());
      std::vector<pollfd> also = {{alarm_.file(), POLLIN, 0}, {signals_.file(), POLLIN, 0}};
      ended.clear();
      KSTAR_CHECK(requests_.wait(also, 1, ended));
      alarm_.clear();
      take(ended);
      if (signals_.asked()) {
        result_.interrupted = true;
        break;
      }
    }
    return finish();
  }

 private:
  double now() const { return load_clock() - start_; }
  double late_limit() const { return 2 * spec_.timeout + 1; }

  Result<void> send_due() {
    const std::size_t before = next_;
    while (next_ < due_.size() && due_[next_] <= now()) {
      if (in_flight_.size() >= spec_.most_in_flight) {
        waiting_here_ = next_ + 1;
        break;
      }
      if (next_ < waiting_here_) ++result_.waited_here;
      const double sent = now();
      in_flight_[next_] = sent;
      lateness_.push_back(sent - due_[next_]);
      last_sent_ = sent;
      KSTAR_CHECK(requests_.send(next_++));
    }
    if (next_ == before) return {};
    requests_.push();
    if (now() - noted_ >= kNoteEvery) {
      noted_ = now();
      log_.note_sent(noted_, next_);
    }
    return {};
  }

  void take(const std::vector<EndedRequest>& ended) {
    const double at = now();
    for (const EndedRequest& one : ended) {
      const auto found = in_flight_.find(one.index);
      if (found == in_flight_.end()) continue;
      log_.add({.index = one.index,
                .due = due_[one.index],
                .sent = found->second,
                .latency = std::max(0.0, at - due_[one.index]),
                .status = one.status,
                .error = one.error});
      if (!one.error.empty()) ++result_.failed;
      in_flight_.erase(found);
    }
  }

  Result<LoadResult> finish() {
    const double at = now();
    for (const auto& [index, sent] : in_flight_) {
      log_.add({.index = index,
                .due = due_[index],
                .sent = sent,
                .latency = std::max(0.0, at - due_[index]),
                .unanswered = true});
      ++result_.unanswered;
    }
    requests_.stop();
    result_.sent = next_;
    result_.duration = at;
    result_.sending = last_sent_;
    if (!lateness_.empty()) {
      const auto place = static_cast<std::ptrdiff_t>(static_cast<double>(lateness_.size()) * 0.99);
      std::nth_element(lateness_.begin(), lateness_.begin() + place, lateness_.end());
      result_.late = lateness_[static_cast<std::size_t>(place)];
    }
    log_.close(at, next_);
    KSTAR_CHECK(log_.flush());
    return result_;
  }

  const LoadSpec& spec_;
  Requests& requests_;
  LoadLog& log_;
  StopSignals signals_;
  Alarm alarm_;
  std::vector<double> due_;
  double start_ = 0, noted_ = -1, last_sent_ = 0;
  std::size_t next_ = 0;
  std::size_t waiting_here_ = 0;
  std::unordered_map<std::size_t, double> in_flight_;  ///< when each was sent
  std::vector<double> lateness_;
  LoadResult result_;
};

}  // namespace

Result<LoadResult> generate_load(const LoadSpec& spec) {
  KSTAR_CHECK(check(spec));
  KSTAR_TRY(const std::unique_ptr<Requests> requests,
            spec.command.empty() ? http_requests(spec) : process_requests(spec));
  KSTAR_TRY(LoadLog log, LoadLog::open(spec));
  return Generator(spec, *requests, log).run();
}

}  // namespace kstar
