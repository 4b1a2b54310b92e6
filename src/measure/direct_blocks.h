#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "kstar/time_source.h"
#include "launch/patience.h"

namespace kstar {

/// One run after the other, here: nothing else runs meanwhile.
class DirectBlocks final : public BlockRunner {
 public:
  DirectBlocks(const MeasureSpec& spec, Executor& executor, WatchClock clock = endless_clock());

  Result<void> prepare(const std::vector<MeasurePoint>& points, const Study& earlier) override;
  Result<void> run(int block, const std::vector<std::size_t>& points, BlockKeeper& keeper) override;
  std::vector<std::string> warnings(std::size_t point) const override {
    return launches_[point].warnings;
  }
  AnswerCheck* check() override { return check_.get(); }

 private:
  std::string marks_parent(const Launch& launch) const;
  Result<void> run_once(std::size_t point, BlockKeeper& keeper);
  Result<Outcome> run_until_begun(std::size_t point, const Launch& launch, BlockKeeper& keeper);
  /// The Run of an outcome: its times, whether it failed, and why.
  void read(const Outcome& outcome, const std::string& marks_folder,
            const std::string& inside_folder, Run& run);

  const MeasureSpec& spec_;
  Executor& executor_;
  WatchClock clock_;
  SlurmPatience patience_;  ///< with a launcher that cannot begin
  std::unique_ptr<TimeSource> source_;
  std::unique_ptr<AnswerCheck> check_;
  std::vector<MeasurePoint> points_;
  std::vector<Launch> launches_;  ///< of the points
  std::string library_;           ///< that looks inside, where runs ask for it
  std::string session_;
  bool undecided_ = false;  ///< the user stopped kstar while the last answer was checked
};

/// A reader of the marks that a run left in its folder.
MarkReader mark_reader();

}  // namespace kstar
