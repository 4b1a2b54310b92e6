#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "kstar/measure_check.h"
#include "kstar/time_source.h"

namespace kstar {

/// One study being measured.
class MeasureLoop {
 public:
  MeasureLoop(const MeasureSpec& spec, const StudyHeader& header, MeasureTools tools);

  /// Plans every point; nothing has run yet.
  Result<void> prepare();
  Result<MeasureResult> run();

 private:
  Result<void> add_point(Role role, std::int64_t workers);
  Result<void> note_warnings();
  void take_earlier_runs();
  Result<MeasureResult> run_blocks();
  void tell_last();
  std::string marks_parent(const Launch& launch) const;
  /// Which points the next block runs, in order.
  std::vector<std::size_t> next_block() const;
  Result<void> run_once(std::size_t index);
  /// The Run of an outcome: its times, whether it failed, and why.
  Run run_of(const MeasurePoint& point, const Launch& launch, const Outcome& outcome,
             const std::string& marks_folder);
  void count(MeasurePoint& point, const Run& run);
  Result<void> note(Severity severity, std::string what, std::string where, std::string text);
  /// Brings the verdicts up to date.
  Result<void> judge_points();
  bool over_budget() const;
  MeasureEnd end() const;

  const MeasureSpec& spec_;
  const StudyHeader& header_;
  MeasureTools tools_;
  std::unique_ptr<TimeSource> source_;
  std::unique_ptr<AnswerCheck> check_;
  std::vector<MeasurePoint> points_;
  std::vector<Launch> launches_;  ///< of the points
  std::string session_;
  std::optional<Run> last_;  ///< was appended, and nobody was told yet
  bool undecided_ = false;   ///< the user stopped kstar while the last answer was checked
  int order_ = 0;
  int block_ = 0;
  double seconds_ = 0;  ///< of all runs so far, this session's and earlier ones
  double worker_seconds_ = 0;
};

/// A reader of the marks that a run left in its folder.
MarkReader mark_reader();

}  // namespace kstar
