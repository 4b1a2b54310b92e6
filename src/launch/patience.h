#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "kstar/result.h"
#include "kstar/study.h"

namespace kstar {

/// Time as the watcher of jobs sees it; tests bring their own.
struct WatchClock {
  std::function<double()> now;        ///< seconds
  std::function<void(double)> pause;  ///< for so many seconds, or until kstar is asked to stop
  std::function<void(double)> rest;   ///< the same, and to the end
};

WatchClock watch_clock(const std::atomic<bool>& stop);
WatchClock uninterrupted_clock();  ///< nobody asks to stop

using TakeNote = std::function<Result<void>(const Note&)>;

/// How often to ask: soon after something happened, less and less often while nothing does.
class Pace {
 public:
  double next();
  void hasten() { seconds_ = kShortest; }

 private:
  static constexpr double kShortest = 0.5, kLongest = 30, kGrowth = 1.5;
  double seconds_ = kShortest;
};

/// A controller that does not answer is waited for, up to a limit.
class Patience {
 public:
  Patience(double limit, const WatchClock& clock) : limit_(limit), clock_(clock) {}

  Result<void> answered(const TakeNote& note);
  /// An error when it has not answered for too long.
  Result<void> silent(const std::string& trouble, const TakeNote& note);

 private:
  double limit_;
  const WatchClock& clock_;
  std::optional<double> since_;
};

}  // namespace kstar
