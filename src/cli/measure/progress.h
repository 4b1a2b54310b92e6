#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/console.h"
#include "cli/measure/outlook.h"
#include "cli/measure/progress_line.h"
#include "kstar/measure.h"

namespace kstar {

/// Progress on standard error: in a terminal a bar that is redrawn, in a log one line per run.
class MeasureProgress final : public MeasureObserver {
 public:
  /// `earlier`: the runs of a study that goes on. One `variant` of several has its name in its
  /// lines, and no bar.
  MeasureProgress(const MeasureSpec& spec, const Study& earlier, const Console& console,
                  std::optional<std::string> variant = {});
  MeasureProgress(const MeasureProgress&) = delete;
  MeasureProgress& operator=(const MeasureProgress&) = delete;
  /// Leaves a clean line behind.
  ~MeasureProgress() override;

  void noted(const Note& note) override;
  void starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) override;
  void ended(const Run& run, const std::vector<MeasurePoint>& all) override;
  void waits(const std::string& text) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// The point as it is after all its runs so far.
  ProgressState state_of(const MeasurePoint& point, const std::vector<MeasurePoint>& all);
  const std::vector<RunPrecision>& recent_verdicts(const std::vector<MeasurePoint>& all);
  /// Once a second while a run goes on, so that a long one is seen to be alive.
  void keep_alive();
  void draw();        // mutex_ is held
  void clear_line();  // mutex_ is held
  void say(const std::string& text);

  const MeasureSpec& spec_;
  const Console& console_;
  MeasureOutlook outlook_;
  std::string variant_;
  bool live_;
  std::vector<RunPrecision> verdicts_;
  bool warned_ = false;  ///< that the precision is out of reach
  Clock::time_point next_verdicts_;

  std::mutex mutex_;  ///< of everything below, and of the line on the screen
  std::condition_variable ends_;
  bool ended_ = false;
  bool drawn_ = false;
  ProgressState state_;
  double run_seconds_ = 0;  ///< what the run that goes on is expected to take
  bool running_ = false;
  Clock::time_point run_start_;
  Clock::time_point last_drawn_;
  std::string waited_for_;  ///< said last
  std::thread ticker_;
};

}  // namespace kstar
