#include <gtest/gtest.h>

#include "analysis/fit/parts.h"

namespace kstar {
namespace {

kstar::Run run_with(std::vector<double> steps, int warm_up = 0) {
  kstar::Run run;
  run.workers = 4;
  run.steps = std::move(steps);
  run.warm_up_steps = warm_up;
  return run;
}

StepStability stability_of(std::vector<kstar::Run> runs) {
  Study study;
  study.runs = std::move(runs);
  return step_stability(study, 0.95).at(0);
}

// By hand: mean 1.5, deviations 0.5 of six steps give s = sqrt(6 x 0.25 / 5) = 0.5477.
TEST(StepStability, DescribesTheStepsBehindTheWarmUp) {
  const StepStability found = stability_of({run_with({9, 1, 2, 1, 2, 1, 2}, 1)});
  EXPECT_EQ(found.workers, 4);
  EXPECT_EQ(found.runs, 1U);
  EXPECT_NEAR(found.variation, 0.5477226 / 1.5, 1e-6);
  EXPECT_DOUBLE_EQ(found.slowest, 2 / 1.5);
  EXPECT_DOUBLE_EQ(found.drift->point, 1);
}

TEST(StepStability, DriftIsTheLastThirdOverTheFirstInEveryRun) {
  const StepStability found =
      stability_of({run_with({1.0, 1.0, 1.1, 1.1, 1.2, 1.2}), run_with({2.0, 2.2, 2.4}),
                    run_with({3.0, 3.0, 3.3, 3.3, 3.6, 3.6})});
  EXPECT_EQ(found.runs, 3U);
  EXPECT_NEAR(found.drift->point, 1.2, 1e-12);
  EXPECT_EQ(found.drift->method, IntervalMethod::kPaired);
  EXPECT_GT(found.drift->low, 1.19);
  EXPECT_LT(found.drift->high, 1.21);
}

TEST(StepStability, LeavesOutWhatDoesNotCount) {
  std::vector<kstar::Run> runs = {run_with({1, 1, 1}), run_with({1, 5}), run_with({1, 1, 9})};
  runs[2].exit_status = 1;
  const StepStability found = stability_of(runs);
  EXPECT_EQ(found.runs, 1U);
  EXPECT_EQ(found.variation, 0);
  EXPECT_EQ(found.slowest, 1);
  Study whole;
  whole.runs.push_back(kstar::Run{});
  EXPECT_TRUE(step_stability(whole, 0.95).empty());
}

}  // namespace
}  // namespace kstar
