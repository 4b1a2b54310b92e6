#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kstar/block_runner.h"
#include "kstar/measure.h"

namespace kstar {

/// One study being measured: which points run next, and what became of those that ran.
class MeasureLoop final : private BlockKeeper {
 public:
  MeasureLoop(const MeasureSpec& spec, const StudyHeader& header, MeasureTools tools);
  ~MeasureLoop() override;

  /// Plans every point; nothing has run yet.
  Result<void> prepare();
  Result<MeasureResult> run();

 private:
  bool wanted(std::size_t point) const override;
  void started(std::size_t point) override;
  Run numbered(std::size_t point) override;
  Result<void> take(std::size_t point, const Run& run) override;
  Result<void> note(Note note) override;
  void waits(const std::string& text) override;

  void add_point(Role role, std::int64_t workers);
  void add_inside_point(std::int64_t workers);
  bool given_up(const MeasurePoint& point) const;
  void take_earlier_runs();
  Result<void> note_warnings();
  /// What a study that goes on had begun comes first.
  Result<void> finish_begun_block();
  Result<MeasureResult> run_blocks();
  void tell_last();
  /// Which points the next block runs, in order.
  std::vector<std::size_t> next_block() const;
  void count(MeasurePoint& point, const Run& run);
  /// Brings the verdicts up to date.
  Result<void> judge_points();
  bool over_budget() const;
  MeasureEnd end() const;

  const MeasureSpec& spec_;
  const StudyHeader& header_;
  MeasureTools tools_;
  std::unique_ptr<BlockRunner> own_blocks_;  ///< where the caller brought none
  BlockRunner& blocks_;
  std::vector<MeasurePoint> points_;
  std::string reference_;    ///< the answer that is in the study already
  std::optional<Run> last_;  ///< was appended, and nobody was told yet
  int order_ = 0;
  int block_ = 0;
  double seconds_ = 0;  ///< of all runs so far, this session's and earlier ones
  double worker_seconds_ = 0;
};

}  // namespace kstar
