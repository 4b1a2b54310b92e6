#include "cli/measure/outlook.h"

#include <gtest/gtest.h>

namespace kstar {
namespace {

kstar::Run run_of(int workers, double wall) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.exit_status = 0;
  return run;
}

/// K = 1 takes 8 s, K = 4 takes 2 s; so many runs of each are made.
struct Example {
  MeasureSpec spec;
  Study earlier;
  std::vector<MeasurePoint> points;

  explicit Example(std::size_t made) {
    spec.workers = {1, 4};
    points = {{.workers = 1, .base = true}, {.workers = 4}};
    for (std::size_t i = 0; i < made; ++i) {
      for (MeasurePoint& point : points) {
        point.times.push_back(8.0 / point.workers);
        earlier.runs.push_back(run_of(point.workers, 8.0 / point.workers));
      }
    }
  }
  std::optional<double> left() const {
    return MeasureOutlook(spec, earlier).seconds_left(points, verdicts_now(spec, points));
  }
};

TEST(MeasureOutlook, NothingIsKnownBeforeTheFirstRun) {
  Example example(0);
  EXPECT_FALSE(example.left());
}

TEST(MeasureOutlook, AFixedNumberOfRunsIsCountedOut) {
  Example example(2);
  example.spec.runs = 5;
  EXPECT_DOUBLE_EQ(*example.left(), 3 * 8 + 3 * 2);
  example.points[1].given_up = true;
  EXPECT_DOUBLE_EQ(*example.left(), 3 * 8);
}

TEST(MeasureOutlook, RunsThatLookInsideTakeTimeAndSayNothingAboutPlainOnes) {
  Example example(5);
  example.spec.runs = 5;
  example.spec.inside = 3;
  example.points.push_back({.workers = 4, .inside = true, .times = {100}});
  EXPECT_TRUE(verdicts_now(example.spec, example.points)[2].estimate.n == 0);
  kstar::Run looked = run_of(4, 100);
  looked.inside.emplace();
  example.earlier.runs.push_back(looked);
  EXPECT_DOUBLE_EQ(*example.left(), 2 * 2);
  const MeasureOutlook outlook(example.spec, example.earlier);
  EXPECT_DOUBLE_EQ(*outlook.seconds_a_run(Role::kParallel, 4), 2);
  EXPECT_DOUBLE_EQ(outlook.seconds_done(), 5 * (8 + 2) + 100);
}

TEST(MeasureOutlook, RunsWithoutScatterNeedOnlyTheLeastNumber) {
  EXPECT_DOUBLE_EQ(*Example(4).left(), 18 * (8 + 2));  // 44 in all
  EXPECT_DOUBLE_EQ(*Example(22).left(), 0);
}

TEST(MeasureOutlook, SaysWhatIsInReachWhereThePrecisionIsNot) {
  const auto said = [](const Example& example) {
    return MeasureOutlook(example.spec, example.earlier)
        .out_of_reach(example.points, verdicts_now(example.spec, example.points))
        .value_or("");
  };
  Example example(6);
  EXPECT_EQ(said(example), "");
  example.points[1].times = {2, 3, 1.5, 2.5, 1, 2};
  EXPECT_EQ(said(example).substr(0, 48), "+-2% is out of reach within --max-runs 100: abou");
  EXPECT_NE(said(example).find(" at K = 4; "), std::string::npos);
  Example poor(6);
  poor.spec.budget_seconds = 70;  // one more block
  poor.points[1].times = {2, 2.1, 1.9, 2, 2.1, 1.9};
  EXPECT_NE(said(poor).find("within the budget"), std::string::npos) << said(poor);
}

TEST(MeasureOutlook, TheLimitsOfTheStudyLimitTheTimeLeft) {
  Example example(2);  // 20 s and 32 worker-seconds are used
  example.spec.max_runs = 6;
  EXPECT_DOUBLE_EQ(*example.left(), 4 * (8 + 2));
  example.spec.budget_seconds = 33;
  EXPECT_DOUBLE_EQ(*example.left(), 13);
  example.spec.budget_seconds = 19;
  EXPECT_DOUBLE_EQ(*example.left(), 0);
  example.spec.budget_seconds.reset();
  example.spec.budget_worker_hours = (32 + 16) / 3600.0;  // 64 more would be needed
  EXPECT_DOUBLE_EQ(*example.left(), 10);
}

TEST(MeasureOutlook, AKThatHasNotRunTakesAsLongAsTheNearest) {
  Example example(1);
  example.spec.runs = 1;
  example.points.push_back({.workers = 8});
  EXPECT_DOUBLE_EQ(*example.left(), 2);
}

TEST(MeasureOutlook, FailedRunsTakeTimeAndSayNothingAboutGoodOnes) {
  Example example(1);
  MeasureOutlook outlook(example.spec, example.earlier);
  kstar::Run bad = run_of(4, 100);
  bad.exit_status = 1;
  outlook.add(bad);
  EXPECT_DOUBLE_EQ(outlook.seconds_done(), 110);
  EXPECT_DOUBLE_EQ(*outlook.seconds_a_run(Role::kParallel, 4), 2);
}

TEST(MeasureOutlook, TheVerdictIsTheOneOfTheLoopAndAsNewAsTheLastRun) {
  Example example(0);
  example.points[0].times = {1.0, 1.02, 0.98, 1.01};
  const auto before = verdicts_now(example.spec, example.points);
  example.points[0].times.push_back(1.4);
  const auto after = verdicts_now(example.spec, example.points);
  EXPECT_DOUBLE_EQ(before[0].estimate.point, 1.0025);
  EXPECT_DOUBLE_EQ(after[0].estimate.point, 1.082);
  EXPECT_GT(after[0].relative_half_width, before[0].relative_half_width);
  example.points[0].warm_up = 2;  // found by the loop: they are among the times
  EXPECT_DOUBLE_EQ(verdicts_now(example.spec, example.points)[0].estimate.point,
                   (0.98 + 1.01 + 1.4) / 3);
}

}  // namespace
}  // namespace kstar
