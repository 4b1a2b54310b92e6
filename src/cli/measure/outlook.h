#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kstar/measure.h"

/// How much of a study is still to be measured, by what its runs showed so far.
namespace kstar {

/// The verdicts by all runs so far: the loop judges after a block, a reader wants to see every run.
/// Empty when nothing can be judged.
std::vector<RunPrecision> verdicts_now(const MeasureSpec& spec,
                                       const std::vector<MeasurePoint>& all);

class MeasureOutlook {
 public:
  /// `earlier`: the runs of a study that goes on.
  MeasureOutlook(const MeasureSpec& spec, const Study& earlier);

  void add(const Run& run);

  /// Of the runs so far.
  double seconds_done() const { return seconds_; }
  /// Of one run of that point: as its own runs took, else as those of the nearest K.
  std::optional<double> seconds_a_run(Role role, int workers) const;
  /// The runs that each verdict expects, times what they take, within --max-runs and --budget.
  /// Nothing before the first run.
  std::optional<double> seconds_left(const std::vector<MeasurePoint>& all,
                                     const std::vector<RunPrecision>& verdicts) const;

  /// That the precision is out of reach within --max-runs or --budget, and what is in reach.
  /// Nothing where it can be reached, or before there are enough runs to say.
  std::optional<std::string> out_of_reach(const std::vector<MeasurePoint>& all,
                                          const std::vector<RunPrecision>& verdicts) const;

 private:
  /// What is still to do, without regard to the budget.
  struct Rest {
    double seconds = 0;
    double worker_seconds = 0;
  };
  struct Walls {
    double seconds = 0;
    double runs = 0;
  };

  std::optional<Rest> rest(const std::vector<MeasurePoint>& all,
                           const std::vector<RunPrecision>& verdicts) const;
  /// Which share of that the budget allows.
  double allowed_share(const Rest& rest) const;
  std::vector<double> runs_left(const std::vector<MeasurePoint>& all,
                                const std::vector<RunPrecision>& verdicts) const;

  const MeasureSpec& spec_;
  std::map<std::pair<Role, int>, Walls> walls_;
  double seconds_ = 0;
  double worker_seconds_ = 0;
};

}  // namespace kstar
