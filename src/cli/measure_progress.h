#pragma once

#include <string>

#include "cli/console.h"
#include "kstar/measure.h"

namespace kstar {

/// What happens, on standard error: in a terminal one line that is drawn anew, in a log a line a
/// run.
class MeasureProgress final : public MeasureObserver {
 public:
  MeasureProgress(const MeasureSpec& spec, const Console& console);
  ~MeasureProgress() override;

  void noted(const Note& note) override;
  void starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) override;
  void ended(const Run& run, const std::vector<MeasurePoint>& all) override;
  void waits(const std::string& text) override;

 private:
  void clear_line();
  void draw(const std::string& line);
  /// "37%, 2 min left": by the runs that are expected and what runs took so far.
  std::string time_left(const std::vector<MeasurePoint>& all) const;

  const MeasureSpec& spec_;
  const Console& console_;
  bool live_;
  bool drawn_ = false;
  double seconds_ = 0;  ///< of the runs so far
  std::size_t runs_ = 0;
  std::string waited_for_;  ///< said last
};

}  // namespace kstar
