#include <gtest/gtest.h>

#include <tuple>

#include "analysis/fit/parts.h"

namespace kstar {
namespace {

/// Five runs each, which scatter by 1%.
void add_runs(int workers, double mean, Study& study, Role role = Role::kParallel) {
  for (const int i : {0, 2, -1, 1, -2}) {
    kstar::Run run;
    run.workers = workers;
    run.role = role;
    run.wall = mean * (1 + 0.0063 * i);
    study.runs.push_back(run);
  }
}

/// The times of Section 5.2's table, and a T(1) as a program with everything switched on that only
/// large jobs need would have it.
Study slow_baseline_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  add_runs(1, 2.6, study);
  for (const auto& [k, mean] :
       {std::pair{2, 0.5343}, {4, 0.3032}, {8, 0.1884}, {16, 0.1392}, {32, 0.1189}, {64, 0.1140}}) {
    add_runs(k, mean, study);
  }
  return study;
}

// "Fixing T(1) moved the bend by a factor of four": from 32 to 8.
TEST(OtherBaseline, AnHonestOneMovesTheBendByAFactorOfFour) {
  const Study study = slow_baseline_study();
  const SampleGroups groups = group_runs(study);
  const ScalingTable table = scaling_table(study).value();
  EXPECT_EQ(find_bend(curve_of(table, groups), {}).bend->first_bad, 32);
  const OtherBaseline honest = against_time(table, groups, 1.0047, {});
  ASSERT_EQ(honest.efficiency.size(), 7U);
  const double efficiency[] = {1.000, 0.940, 0.828, 0.667, 0.451, 0.264, 0.138};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(honest.efficiency[i].point, efficiency[i], 0.0006);
    if (i == 0) continue;
    EXPECT_LT(honest.efficiency[i].low, honest.efficiency[i].point);
    EXPECT_GT(honest.efficiency[i].high, honest.efficiency[i].point);
  }
  EXPECT_EQ(honest.bend->first_bad, 8);
  EXPECT_EQ(honest.bend->last_good, 4);
  EXPECT_GT(honest.bend->agreement, 0.99);
}

TEST(OtherBaseline, StandsInForAnUnmeasuredOne) {
  Study study = slow_baseline_study();
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers == 1; });
  const ScalingTable table = scaling_table(study).value();
  EXPECT_EQ(table.base_workers, 2);
  EXPECT_EQ(against_time(table, group_runs(study), 1.0047, {}).bend->first_bad, 8);
}

TEST(OtherBaseline, OfWeakScalingIsTheRatioOfTimes) {
  Study study;
  study.header.regime = Regime::kWeak;
  add_runs(1, 1.0, study);
  add_runs(8, 1.25, study);
  const OtherBaseline other =
      against_time(scaling_table(study).value(), group_runs(study), 0.75, {});
  EXPECT_NEAR(other.efficiency[1].point, 0.6, 1e-12);
}

TEST(OtherBaseline, TheProgramsOwnStandsBesideAProgramOfItsOwn) {
  Study study = slow_baseline_study();
  EXPECT_FALSE(against_own(scaling_table(study).value(), group_runs(study), {}, {}));
  add_runs(1, 1.0047, study, Role::kBaseline);
  const ScalingTable table = scaling_table(study).value();
  EXPECT_EQ(table.base_role, Role::kBaseline);
  EXPECT_NEAR(table.points[4].efficiency->point, 0.667, 0.0006);
  const auto own = against_own(table, group_runs(study), {}, {});
  ASSERT_TRUE(own);
  EXPECT_NEAR(own->time, 2.6, 1e-12);
  EXPECT_EQ(own->bend->first_bad, 32);
  EXPECT_NEAR(own->efficiency[4].point, 2.6 / 0.1884 / 8, 1e-9);
}

}  // namespace
}  // namespace kstar
