#pragma once

#include <functional>
#include <span>
#include <vector>

/// Threads, each bound to its own hardware thread, that start one piece of work together.
namespace kstar::roofline {

struct TeamTime {
  double seconds = 0;  ///< from the first start to the last end
  double wanted = 0;   ///< of all threads together
  double waited = 0;   ///< of these, ready to run without a CPU: other jobs had it
  bool bound = true;   ///< every thread is where it was to be
};

/// `prepare` and then `work` of every thread; only `work` is timed, and no thread starts it before
/// all have prepared.
TeamTime run_team(std::span<const int> cpus, const std::function<void(std::size_t)>& prepare,
                  const std::function<void(std::size_t)>& work);

}  // namespace kstar::roofline
