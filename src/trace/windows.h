#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "trace/rank.h"
#include "trace/work.h"

namespace kstar::tracing {

/// Where the steps of one rank begin and end, without their times, and which step an operation is
/// of. `marks` must outlive this.
class StepWindows {
 public:
  StepWindows(const FileWork& work, const RankWork& rank, const StepMarks& marks);

  /// Of a trace that was cut off: the last step may miss operations. False where it is the only
  /// one.
  bool leave_out_last();

  const std::vector<RankStep>& steps() const { return steps_; }
  /// -1: of none.
  std::int32_t step_of(const Work& work) const;

 private:
  void take_whole(const FileWork& work, const RankWork& rank);
  void take_marks();
  void take_launched(const FileWork& work, const RankWork& rank);

  const StepMarks& marks_;
  std::vector<RankStep> steps_;
  bool by_launch_ = false;
  std::int32_t left_out_from_ = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> of_mark_;  ///< the step of a mark; -1: nothing ran in it
};

/// Steps by the number that every operation of a timeline carries; the same for all its ranks.
StepMarks numbered_steps(const WorkList& work);

}  // namespace kstar::tracing
