#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/random.h"
#include "compare/joint_test.h"
#include "kstar/compare.h"

// What all K say together.
namespace kstar {
namespace {

using comparing::joint_test;
using comparing::Times;

constexpr int kWorkers[] = {1, 2, 4, 8, 16, 32};

/// Five runs at each K with 2% of noise; `change` of T at K = `at`, or at all K.
Times drawn(Random& random, double change = 0, int at = 0, double correlation = 0) {
  Times times;
  for (const int k : kWorkers) {
    double state = random.normal();
    for (int run = 0; run < 5; ++run) {
      const double factor = at == 0 || at == k ? 1 + change : 1;
      times[k].push_back(100.0 / k * factor * std::exp(0.02 * state));
      state = correlation * state + std::sqrt(1 - correlation * correlation) * random.normal();
    }
  }
  return times;
}

/// How many of 200 pairs show a change, at all K or at one.
int found(double change, int at, double correlation = 0) {
  Random random(11);
  int count = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const Times before = drawn(random, 0, 0, correlation);
    const auto test = joint_test(before, drawn(random, change, at, correlation), 0.95);
    const bool seen = test->all.verdict != ChangeVerdict::kNoEvidence ||
                      std::any_of(test->at.begin(), test->at.end(),
                                  [](const RatioChange& one) { return one.adjusted_p < 0.05; });
    count += seen ? 1 : 0;
  }
  return count;
}

TEST(CompareJoint, FindsASmallChangeAtAllKAndNoneWhereThereIsNone) {
  EXPECT_GE(found(0.05, 0), 198);
  EXPECT_GE(found(0.03, 0), 190);
  EXPECT_LE(found(0, 0), 10);
  EXPECT_LE(found(0, 0, 0.3), 16) << "runs of a K that are alike raise no alarm";
}

TEST(CompareJoint, NamesTheKThatChanged) {
  Random random(3);
  const Times before = drawn(random);
  const auto test = joint_test(before, drawn(random, 0.15, 8), 0.95);
  ASSERT_TRUE(test);
  for (std::size_t i = 0; i < std::size(kWorkers); ++i) {
    EXPECT_EQ(test->at[i].adjusted_p < 0.05, kWorkers[i] == 8) << kWorkers[i];
  }
}

TEST(CompareJoint, OneSlowRunNeitherMakesNorHidesAChange) {
  Random random(5);
  Times before = drawn(random), same = drawn(random), slower = drawn(random, 0.04);
  same[4][2] *= 3;
  EXPECT_EQ(joint_test(before, same, 0.95)->all.verdict, ChangeVerdict::kNoEvidence);
  slower[4][2] *= 3;
  EXPECT_EQ(joint_test(before, slower, 0.95)->all.verdict, ChangeVerdict::kWorse);
}

TEST(CompareJoint, RunsThatDoNotShowTheirNoiseSayNothing) {
  const Times one = {{1, {100}}, {2, {52}}}, equal = {{1, {100, 100, 100}}, {2, {52, 52, 52}}};
  EXPECT_FALSE(joint_test(one, one, 0.95));
  EXPECT_FALSE(joint_test(equal, equal, 0.95));
}

TEST(CompareJoint, TheChanceOfSlowRunsIsFishers) {
  // 5 of 20 after, none of 20 before: 2 x C(20,5) / C(40,5) = 2 x 15504 / 658008.
  Times before = {{1, {}}}, after = {{1, {}}};
  Random random(9);
  for (int run = 0; run < 20; ++run) {
    before[1].push_back(std::exp(0.01 * random.normal()));
    after[1].push_back(std::exp(0.01 * random.normal()) * (run % 4 == 0 ? 1.5 : 1));
  }
  const auto slow = comparing::slow_runs(before, after);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->after, 5U);
  EXPECT_EQ(slow->before, 0U);
  EXPECT_NEAR(slow->p, 2 * 15504.0 / 658008.0, 1e-9);
}

void fill(const Times& times, Study& study) {
  for (const auto& [workers, samples] : times) {
    for (const double time : samples) study.runs.push_back({.workers = workers, .wall = time});
  }
}

TEST(CompareJoint, AGateOnAnyKHearsAllOfThem) {
  Random random(2);
  Study before, after;
  before.header.regime = after.header.regime = Regime::kStrong;
  fill(drawn(random), before);
  fill(drawn(random, 0.03), after);
  CompareOptions options;
  options.gates = {parse_gate("T(any) rises 1%", "test").value()};
  const Comparison comparison = compare(before, after, options).value();
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kFailed) << comparison.gates[0].evidence;
  EXPECT_FALSE(comparison.passed);
}

}  // namespace
}  // namespace kstar
