#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kstar/executor.h"

namespace kstar {

/// Runs nothing: what each run does is given by a function, and its clock is the sum of what was
/// run. Every plan is kept to look at.
class FakeExecutor final : public Executor {
 public:
  using Answer = std::function<Result<Outcome>(const LaunchPlan& plan, std::size_t run)>;
  using Time = std::function<double(const LaunchPlan& plan, std::size_t run)>;

  explicit FakeExecutor(Answer answer) : answer_(std::move(answer)) {}

  /// Every run succeeds and takes the seconds that `time` says, exactly. A time limit ends it.
  static FakeExecutor taking(Time time) {
    return FakeExecutor([time = std::move(time)](const LaunchPlan& plan, std::size_t run) {
      Outcome outcome;
      outcome.wall = time(plan, run);
      outcome.timed_out = plan.time_limit > 0 && outcome.wall > plan.time_limit;
      if (outcome.timed_out) {
        outcome.wall = plan.time_limit;
        outcome.signal = 15;
      } else {
        outcome.exit_status = 0;
      }
      return Result<Outcome>(std::move(outcome));
    });
  }

  Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) override {
    work();
    plans.push_back(plan);
    auto outcome = answer_(plan, plans.size() - 1);
    if (!outcome) return outcome;
    outcome->start = kEpoch + clock;
    outcome->clock = clock;
    clock += outcome->wall;
    return outcome;
  }

  static constexpr double kEpoch = 1767225600;  ///< the start of the first run
  std::vector<LaunchPlan> plans;                ///< of all runs, in order
  double clock = 0;                             ///< seconds run so far

 private:
  Answer answer_;
};

}  // namespace kstar
