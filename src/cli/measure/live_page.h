#pragma once

#include <chrono>
#include <string>

#include "cli/console.h"
#include "cli/measure/outlook.h"
#include "kstar/measure.h"
#include "kstar/page.h"

namespace kstar {

/// The page of a study that grows: `kstar measure --live FILE`. It is written between two runs, so
/// that no run is disturbed, and so seldom that it takes a fiftieth of the time at most. Everything
/// it is told it tells `other`, too.
class LivePage final : public MeasureObserver {
 public:
  LivePage(std::string path, const MeasureSpec& spec, const StudyHeader& header,
           const Study& earlier, const Console& console);

  void tell(MeasureObserver& other) { other_ = &other; }

  /// The first page, before anything runs: a file that cannot be written is known now.
  Result<void> begin();
  /// The last page: of the whole study, and it stays as it is.
  Result<void> finish(const Study& study);
  /// The last page of a study that did not come to its end, and why.
  void stop(const std::string& why);

  void noted(const Note& note) override;
  void starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) override;
  void kept(const Run& run, const std::vector<MeasurePoint>& all) override;
  void ended(const Run& run, const std::vector<MeasurePoint>& all) override;
  void waits(const std::string& text) override;

 private:
  using Clock = std::chrono::steady_clock;

  Result<void> write(const std::optional<LiveProgress>& live);
  LiveProgress progress(const std::vector<MeasurePoint>& all) const;

  std::string path_;
  const MeasureSpec& spec_;
  const Console& console_;
  MeasureOutlook outlook_;
  MeasureObserver* other_ = nullptr;
  Subject subject_;
  Clock::duration pause_{};  ///< between two pages
  Clock::time_point next_;   ///< not before
  double longest_run_ = 0;   ///< seconds
  bool warned_ = false;
};

}  // namespace kstar
