#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/executor.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"

/// What runs beside the runs, and is in no time: --setup, --prepare and --cleanup.
namespace kstar {

class BesideRuns {
 public:
  /// Both must outlive it.
  BesideRuns(const MeasureSpec& spec, Executor& executor) : spec_(spec), executor_(executor) {}

  /// --setup where it is the first run at this K since kstar started, and --prepare: the seconds
  /// that they took. An error names the command and what it said; with ExitCode::kInterrupted, that
  /// the user stopped kstar.
  Result<double> before_run(int workers);

  /// --cleanup at every K that had a run, also where the user stopped kstar. All are tried; the
  /// error is the first one's.
  Result<void> after_last();

 private:
  Result<double> run(std::string_view flag, const std::vector<std::string>& words, int workers,
                     bool after_stop);

  const MeasureSpec& spec_;
  Executor& executor_;
  std::set<int> begun_;  ///< the K that were set up
};

}  // namespace kstar
