#include "kstar/measure_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/study_examples.h"

namespace kstar {
namespace {

MeasureSpec spec_of() {
  MeasureSpec spec;
  spec.command = {"./prog", "{K}"};
  spec.workers = {1, 2, 4};
  spec.runs = 9;
  spec.warm_up_runs = 1;
  return spec;
}

TEST(MeasurePlan, ListsTheBaselineAndEveryK) {
  MeasureSpec spec = spec_of();
  spec.baseline = {"./serial"};
  spec.variables = {{"N", "{K}"}};
  spec.size = 10;
  const auto plan = plan_measurement(spec);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->runs.size(), 4U);
  EXPECT_EQ(plan->runs[0].role, Role::kBaseline);
  EXPECT_EQ(plan->runs[0].command, (std::vector<std::string>{"./serial"}));
  EXPECT_EQ(plan->runs[3].command, (std::vector<std::string>{"./prog", "4"}));
  EXPECT_EQ(plan->runs[3].variables[0].second, "4");
  EXPECT_EQ(plan->runs[3].workload.size, 10);
  EXPECT_EQ(plan->runs[3].runs.low, 10);
  EXPECT_FALSE(plan->cost);
  EXPECT_EQ(plan->assumptions.size(), 2U);  // no time at all, and none of the baseline
  EXPECT_FALSE(plan->seed);
  EXPECT_TRUE(plan->first_block.empty());
  EXPECT_EQ(plan->warnings.front().what, "unused-size");
}

TEST(MeasurePlan, AWrongSpecIsRefused) {
  EXPECT_FALSE(plan_measurement({}));
}

TEST(MeasurePlan, TheSameSeedGivesTheSameOrderAndBlocksDiffer) {
  MeasureSpec spec = spec_of();
  spec.seed = 7;
  EXPECT_EQ(plan_measurement(spec)->first_block, block_order(7, 0, 3));
  std::vector<std::size_t> order = block_order(7, 0, 50);
  EXPECT_NE(order, block_order(7, 1, 50));
  EXPECT_NE(order, block_order(8, 0, 50));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(block_order(7, 0, 0).empty());
}

TEST(MeasurePlan, KnownTimesAddUp) {
  const KnownTime kKnown[] = {
      {1, Role::kParallel, 8, {}}, {2, Role::kParallel, 5, {}}, {4, Role::kParallel, 3, {}}};
  const auto plan = plan_measurement(spec_of(), kKnown);
  ASSERT_TRUE(plan->cost);
  EXPECT_EQ(plan->cost->seconds.low, 160);
  EXPECT_EQ(plan->cost->seconds.high, 160);
  EXPECT_DOUBLE_EQ(plan->cost->worker_hours.low, 10 * (8 + 10 + 12) / 3600.0);
  EXPECT_TRUE(plan->assumptions.empty());
}

TEST(MeasurePlan, AProbeGivesARangeBetweenNoSpeedupAndTheIdeal) {
  const KnownTime kProbe[] = {{2, Role::kParallel, 10, {}}};
  const auto plan = plan_measurement(spec_of(), kProbe);
  EXPECT_EQ(plan->runs[0].seconds->low, 10);
  EXPECT_EQ(plan->runs[0].seconds->high, 20);
  EXPECT_EQ(plan->runs[2].seconds->low, 5);
  EXPECT_EQ(plan->runs[2].seconds->high, 10);
  EXPECT_TRUE(plan->runs[1].measured);
  EXPECT_EQ(plan->cost->seconds.low, 250);
  EXPECT_EQ(plan->cost->seconds.high, 400);
  EXPECT_EQ(plan->assumptions.size(), 1U);
  MeasureSpec weak = spec_of();
  weak.regime = Regime::kWeak;
  weak.size = 4;
  EXPECT_EQ(plan_measurement(weak, kProbe)->cost->seconds.high, 300);
}

TEST(MeasurePlan, ScatterSaysHowManyRunsAndTheBudgetLimits) {
  MeasureSpec spec = spec_of();
  spec.runs.reset();
  spec.workers = {1};
  KnownTime known{1, Role::kParallel, 10, 1.0};  // (2 * 0.1 / 0.02)^2 = 100
  EXPECT_EQ(plan_measurement(spec, {&known, 1})->runs[0].runs.high, 101);
  known.deviation = 0.01;
  EXPECT_EQ(plan_measurement(spec, {&known, 1})->runs[0].runs.high, 46);  // with what is unseen
  known.deviation.reset();
  EXPECT_EQ(plan_measurement(spec, {&known, 1})->runs[0].runs.low, 45);
  EXPECT_EQ(plan_measurement(spec, {&known, 1})->runs[0].runs.high, 101);
  spec.budget_seconds = 800;
  const auto plan = plan_measurement(spec, {&known, 1});
  EXPECT_EQ(plan->cost->seconds.low, 450);
  EXPECT_EQ(plan->cost->seconds.high, 800);
  EXPECT_TRUE(plan->cost->limited_by_budget);
  EXPECT_DOUBLE_EQ(plan->cost->worker_hours.high, 800 / 3600.0);  // one worker
}

TEST(MeasurePlan, AWidePrecisionNeedsFewRunsAndSaysHowManyAndWhy) {
  MeasureSpec spec = spec_of();  // K = 1, 2, 4
  spec.runs.reset();
  spec.warm_up_runs.reset();
  spec.precision = 0.1;
  const KnownTime known{.workers = 1, .seconds = 300};
  const auto plan = plan_measurement(spec, {&known, 1});
  EXPECT_EQ(plan->runs[0].runs.low, 3);
  EXPECT_EQ(plan->runs[0].runs.high, 9);
  EXPECT_LT(plan->cost->seconds.high, 2.5 * 3600);
  EXPECT_EQ(
      plan->fewest,
      "at least 9 runs, 3 at each K, for +-10% (fewer could miss rare slow runs); at most 100 "
      "at each K");
}

TEST(MeasurePlan, WithoutAnyTimeTheCostIsInRunsAtTheSmallestK) {
  const auto plan = plan_measurement(spec_of());  // K = 1, 2, 4, ten runs each
  ASSERT_TRUE(plan->relative);
  EXPECT_EQ(plan->relative->workers, 1);
  EXPECT_DOUBLE_EQ(plan->relative->time.low, 10 + 5 + 2.5);
  EXPECT_DOUBLE_EQ(plan->relative->time.high, 30);
  EXPECT_DOUBLE_EQ(plan->relative->worker_time.low, 30);
  EXPECT_DOUBLE_EQ(plan->relative->worker_time.high, 10 * (1 + 2 + 4));
}

TEST(MeasurePlan, TheBaselineHasATimeOfItsOwnOrTheAssumptionIsSaid) {
  MeasureSpec spec = spec_of();
  spec.baseline = {"./serial"};
  spec.workers = {1};
  const KnownTime both[] = {{1, Role::kParallel, 10, {}}, {1, Role::kBaseline, 9.5, {}}};
  const auto known = plan_measurement(spec, both);
  EXPECT_EQ(known->cost->seconds.low, 195);
  EXPECT_TRUE(known->assumptions.empty());
  const auto guessed = plan_measurement(spec, {both, 1});
  EXPECT_EQ(guessed->cost->seconds.low, 200);
  ASSERT_EQ(guessed->assumptions.size(), 1U);
  EXPECT_NE(guessed->assumptions[0].find("the baseline is assumed to take as long"),
            std::string::npos);
}

TEST(MeasurePlan, AStudyThatGoesOnNeedsOnlyTheRestOfItsRunsAndItsBudget) {
  MeasureSpec spec = spec_of();
  spec.warm_up_runs.reset();
  spec.workers = {1, 2};
  const KnownTime made[] = {{.workers = 1, .seconds = 10, .runs = 4},
                            {.workers = 2, .seconds = 6, .runs = 20}};
  const auto plan = plan_measurement(spec, made, PlanStart::kGoesOn);
  EXPECT_EQ(plan->runs[0].runs.high, 5);
  EXPECT_EQ(plan->runs[1].runs.high, 0);
  EXPECT_EQ(plan->cost->seconds.high, 50);
  spec.budget_seconds = 4 * 10 + 20 * 6 + 30;
  EXPECT_DOUBLE_EQ(plan_measurement(spec, made, PlanStart::kGoesOn)->cost->seconds.high, 30);
  EXPECT_EQ(plan_measurement(spec, made)->runs[0].runs.high, 9);
}

TEST(MeasurePlan, TimesComeFromTheGoodRunsOfAStudy) {
  Study study = small_study(0);
  const auto add = [&](int workers, double wall) -> kstar::Run& {
    kstar::Run& run = study.runs.emplace_back();
    run.workers = workers;
    run.wall = wall;
    return run;
  };
  add(1, 2);
  add(1, 4);
  add(1, 100).exit_status = 1;
  add(1, 100).warm_up = true;
  add(4, 1);
  const auto known = known_times(study);
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].seconds, 3);
  EXPECT_EQ(known[0].runs, 2U);
  EXPECT_DOUBLE_EQ(*known[0].deviation, std::sqrt(2.0));
  EXPECT_EQ(known[1].workers, 4);
  EXPECT_FALSE(known[1].deviation);
}

}  // namespace
}  // namespace kstar
