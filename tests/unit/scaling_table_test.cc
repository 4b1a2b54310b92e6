#include "kstar/scaling_table.h"

#include <gtest/gtest.h>

#include <tuple>

namespace kstar {
namespace {

kstar::Run blocked_run(int workers, double wall, int block, Role role = Role::kParallel) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.block = block;
  run.role = role;
  run.exit_status = 0;
  return run;
}

Study strong_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < 5; ++block) {
    const double mood = 1 + 0.1 * block;  // the machine slows for everybody
    study.runs.push_back(blocked_run(1, 8.0 * mood, block));
    study.runs.push_back(blocked_run(2, 5.0 * mood, block));
    study.runs.push_back(blocked_run(4, 4.0 * mood, block));
  }
  return study;
}

TEST(ScalingTable, GivesSpeedupAndEfficiencyWithTheBend) {
  const auto table = scaling_table(strong_study());
  ASSERT_TRUE(table);
  ASSERT_EQ(table->points.size(), 3U);
  EXPECT_DOUBLE_EQ(table->points[1].speedup->point, 1.6);
  EXPECT_DOUBLE_EQ(table->points[2].efficiency->point, 0.5);
  EXPECT_EQ(table->last_good, 2);
  EXPECT_EQ(table->first_bad, 4);
}

TEST(ScalingTable, PairsWholeBlocksSoThatDriftCancels) {
  const auto table = scaling_table(strong_study());
  ASSERT_TRUE(table);
  EXPECT_EQ(table->points[1].speedup->method, IntervalMethod::kPairedEffective);
  EXPECT_LT(table->points[1].speedup->high - table->points[1].speedup->low, 1e-9);
  EXPECT_GT(table->points[1].time.high - table->points[1].time.low, 0.5);
}

TEST(ScalingTable, OneFailedRunBreaksOnePairNotAll) {
  Study study = strong_study();
  study.runs[1].exit_status = 1;  // block 0 at K = 2
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  const Estimate& speedup = *table->points[1].speedup;
  EXPECT_EQ(speedup.method, IntervalMethod::kPairedEffective);
  EXPECT_EQ(speedup.n, 4U);
  EXPECT_DOUBLE_EQ(speedup.point, 1.6);  // unpaired it would be 1.54: the lost run was a fast one
  ASSERT_EQ(table->notes.size(), 1U);
  EXPECT_EQ(table->notes[0].what, "unpaired");
  EXPECT_EQ(table->notes[0].where, "2 workers");
  EXPECT_EQ(table->points[2].speedup->n, 5U);
}

TEST(ScalingTable, FewCommonBlocksAreNotPaired) {
  Study study = strong_study();
  for (const std::size_t run : {1U, 4U}) study.runs[run].exit_status = 1;  // 3 of 5 are left
  EXPECT_EQ(scaling_table(study)->points[1].speedup->method, IntervalMethod::kWelchLogEffective);
  study = strong_study();
  study.runs[4].block = 0;  // twice the same block at K = 2
  EXPECT_EQ(scaling_table(study)->points[1].speedup->method, IntervalMethod::kWelchLogEffective);
}

TEST(ScalingTable, AnIntervalThatHoldsTheThresholdIsNotClear) {
  Study study = strong_study();
  const double noise[] = {1.1, 0.9, 1.05, 0.95, 1.0};
  for (std::size_t block = 0; block < 5; ++block) {
    *study.runs[3 * block + 1].wall *= noise[block];
  }
  const auto at = [&](double threshold) {
    return scaling_table(study, {.threshold = threshold})->points[1];
  };
  const Estimate efficiency = *at(0.7).efficiency;
  constexpr double kLittle = 1e-9;
  EXPECT_TRUE(at(efficiency.low - kLittle).clear);
  EXPECT_FALSE(at(efficiency.point - kLittle).clear);
  EXPECT_TRUE(at(efficiency.point - kLittle).good);  // the point names the side all the same
  EXPECT_FALSE(at(efficiency.point + kLittle).clear);
  EXPECT_FALSE(at(efficiency.point + kLittle).good);
  EXPECT_TRUE(at(efficiency.high + kLittle).clear);
  EXPECT_TRUE(scaling_table(study)->points[0].clear);  // the base is 1 by definition
}

TEST(ScalingTable, WeakEfficiencyIsTheRatioOfTimes) {
  Study study = strong_study();
  study.header.regime = Regime::kWeak;
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_DOUBLE_EQ(table->points[1].efficiency->point, 1.6);
  EXPECT_DOUBLE_EQ(table->points[1].speedup->point, 3.2);
}

TEST(ScalingTable, ABaselineProgramOfItsOwnIsTheBase) {
  Study study = strong_study();
  for (int block = 0; block < 5; ++block) {
    study.runs.push_back(blocked_run(1, 4.0 * (1 + 0.1 * block), block, Role::kBaseline));
  }
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->base_role, Role::kBaseline);
  EXPECT_DOUBLE_EQ(table->points[1].speedup->point, 0.5);  // the parallel program with one worker
}

// By hand: S(2) = 1.6 gives (1/1.6 - 1/2) / (1 - 1/2) = 0.25, S(4) = 2 gives 1/3.
TEST(ScalingTable, KarpFlattIsThatOfTheParallelProgramAlone) {
  Study study = strong_study();
  const auto alone = scaling_table(study);
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->points[0].karp_flatt);
  EXPECT_NEAR(alone->points[1].karp_flatt->point, 0.25, 1e-12);
  EXPECT_NEAR(alone->points[2].karp_flatt->point, 1.0 / 3, 1e-12);
  for (int block = 0; block < 5; ++block) {  // a faster program of one worker changes S, not e
    study.runs.push_back(blocked_run(1, 4.0 * (1 + 0.1 * block), block, Role::kBaseline));
  }
  const auto beside = scaling_table(study);
  EXPECT_FALSE(beside->points[0].karp_flatt);
  EXPECT_DOUBLE_EQ(beside->points[2].speedup->point, 0.8);
  EXPECT_NEAR(beside->points[2].karp_flatt->point, 0.25, 1e-12);
}

TEST(ScalingTable, KarpFlattNeedsOneWorkerAndFixedWork) {
  Study study = strong_study();
  study.header.regime = Regime::kWeak;
  EXPECT_FALSE(scaling_table(study)->points[1].karp_flatt);
  study.header.regime = Regime::kStrong;
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers == 1; });
  const auto table = scaling_table(study);
  EXPECT_EQ(table->base_workers, 2);
  EXPECT_FALSE(table->points[1].karp_flatt);
}

TEST(ScalingTable, OneRunAtAKHasNoInterval) {
  Study study = strong_study();
  study.runs.resize(3);
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->points[1].time.method, IntervalMethod::kNone);
  EXPECT_FALSE(is_bounded(*table->points[1].efficiency));
  EXPECT_FALSE(is_bounded(*table->points[1].karp_flatt));
  EXPECT_NEAR(table->points[1].karp_flatt->point, 0.25, 1e-12);
}

TEST(ScalingTable, FailedAndWarmUpRunsAreCountedAndNotUsed) {
  Study study = strong_study();
  study.runs[0].warm_up = true;
  study.runs[1].exit_status = 1;
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->points[0].warm_up, 1U);
  EXPECT_EQ(table->points[0].times.n, 4U);
  EXPECT_EQ(table->points[1].failed, 1U);
}

TEST(ScalingTable, OfAMixedStudyHasNoSpeedup) {
  Study study = strong_study();
  study.header.regime = Regime::kMixed;
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->points[1].speedup);
  EXPECT_FALSE(table->first_bad);
}

TEST(ScalingTable, WithoutAnyTimeIsAnError) {
  EXPECT_FALSE(scaling_table(Study{}));
}

/// 1, 2, 4 workers on one node and 8 on two: T halves inside the node, and falls by a quarter when
/// a second one joins.
Study two_node_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < 5; ++block) {
    const double mood = 1 + 0.1 * block;
    for (const auto& [k, nodes, time] : {std::tuple{1, 1, 8.0}, std::tuple{2, 1, 4.0},
                                         std::tuple{4, 1, 2.0}, std::tuple{8, 2, 1.5}}) {
      Run run = blocked_run(k, time * mood, block);
      run.nodes = nodes;
      run.ranks = k / nodes;
      run.threads = 1;
      study.runs.push_back(run);
    }
  }
  return study;
}

TEST(ScalingTable, TellsGrowthInsideANodeFromGrowthBetweenNodes) {
  const auto table = scaling_table(two_node_study());
  ASSERT_TRUE(table);
  EXPECT_EQ(table->points[3].shape, (Shape{2, 4, 1}));
  ASSERT_EQ(table->steps.size(), 3U);
  EXPECT_EQ(table->steps[1].growth, NodeGrowth::kInsideNode);
  EXPECT_DOUBLE_EQ(table->steps[1].kept.point, 1);
  EXPECT_EQ(table->steps[2].growth, NodeGrowth::kMoreNodes);
  EXPECT_DOUBLE_EQ(table->steps[2].kept.point, 2.0 / 1.5 / 2);
  EXPECT_LT(table->steps[2].kept.high - table->steps[2].kept.low, 1e-9);  // blocks cancel the mood
  // The product of what the steps keep is the efficiency at the end.
  double kept = 1;
  for (const GrowthStep& step : table->steps) kept *= step.kept.point;
  EXPECT_NEAR(kept, table->points[3].efficiency->point, 1e-12);
}

TEST(ScalingTable, AStepThatChangesNodesAndWhatIsOnThemIsNeither) {
  Study study = two_node_study();
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers == 4; });
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->steps[1].growth, NodeGrowth::kBoth);
}

TEST(ScalingTable, RunsOfTwoShapesAtOneKAreNoShapeAndSaid) {
  Study study = two_node_study();
  study.runs.back().nodes = 4;
  study.runs.back().ranks = 2;
  const auto table = scaling_table(study);
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->points[3].shape);
  ASSERT_FALSE(table->notes.empty());
  EXPECT_EQ(table->notes[0].what, "mixed-shapes");
}

TEST(ScalingTable, RunsWithoutShapesHaveNoSteps) {
  EXPECT_TRUE(scaling_table(strong_study())->steps.empty());
}

}  // namespace
}  // namespace kstar
