#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"
#include "compare/joint_test.h"
#include "kstar/compare.h"

// What all K say together.
namespace kstar {
namespace {

using comparing::joint_test;
using comparing::Times;

constexpr int kWorkers[] = {1, 2, 4, 8, 16, 32};

/// What the runs are like.
struct Drawn {
  double change = 0;  ///< of T at K = `at`, or at all K
  int at = 0;
  double correlation = 0;  ///< of a K's runs
  double mood = 0;         ///< shared by a block
  double slow = 0;         ///< share of runs that are slower by 5 to 20%
};

/// Five runs at each K with 2% of noise.
Times drawn(Random& random, const Drawn& how = {}) {
  constexpr int kRuns = 5;
  Times times;
  std::vector<double> blocks;
  for (int run = 0; run < kRuns; ++run) blocks.push_back(how.mood * random.normal());
  for (const int k : kWorkers) {
    double state = random.normal();
    for (const double block : blocks) {
      const double factor = how.at == 0 || how.at == k ? 1 + how.change : 1;
      const double slow = random.uniform() < how.slow ? 1.05 + 0.15 * random.uniform() : 1;
      times[k].push_back(100.0 / k * factor * slow * std::exp(0.02 * state + block));
      state = how.correlation * state +
              std::sqrt(1 - how.correlation * how.correlation) * random.normal();
    }
  }
  return times;
}

/// The share of pairs that show a change, at all K or at one.
double found(const Drawn& after, int pairs = 400) {
  Random random(11);
  Drawn before = after;
  before.change = 0;
  int count = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Times first = drawn(random, before);
    const auto test = joint_test(first, drawn(random, after), 0.95);
    const bool seen = test->all.verdict != ChangeVerdict::kNoEvidence ||
                      std::any_of(test->at.begin(), test->at.end(),
                                  [](const RatioChange& one) { return one.adjusted_p < 0.05; });
    count += seen ? 1 : 0;
  }
  return static_cast<double>(count) / pairs;
}

// With 3% of slow runs. 10,000 pairs of each are 2.9%, 5.4%, 3.8%, 99.9%, 96.0%, 59.7%; the limits
// here are two standard deviations of 400 pairs away.
TEST(CompareJoint, FindsASmallChangeAndNoneWhereThereIsNone) {
  constexpr double kSlow = 0.03;
  EXPECT_LE(found({.slow = kSlow}), 0.05);
  EXPECT_LE(found({.correlation = 0.3, .slow = kSlow}), 0.075) << "runs of a K that are alike";
  EXPECT_LE(found({.mood = 0.02, .slow = kSlow}), 0.06) << "noise shared by a block";
  EXPECT_GE(found({.change = 0.05, .slow = kSlow}), 0.99);
  EXPECT_GE(found({.change = 0.03, .slow = kSlow}), 0.94);
  EXPECT_GE(found({.change = 0.05, .at = 4, .slow = kSlow}), 0.55);
}

TEST(CompareJoint, NamesTheKThatChanged) {
  Random random(3);
  const Times before = drawn(random);
  const auto test = joint_test(before, drawn(random, {.change = 0.15, .at = 8}), 0.95);
  ASSERT_TRUE(test);
  for (std::size_t i = 0; i < std::size(kWorkers); ++i) {
    EXPECT_EQ(test->at[i].adjusted_p < 0.05, kWorkers[i] == 8) << kWorkers[i];
  }
}

TEST(CompareJoint, OneSlowRunNeitherMakesNorHidesAChange) {
  Random random(5);
  Times before = drawn(random), same = drawn(random), slower = drawn(random, {.change = 0.04});
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
  before.header.source.kind = after.header.source.kind = SourceKind::kSimulated;
  fill(drawn(random), before);
  fill(drawn(random, {.change = 0.03}), after);
  CompareOptions options;
  options.gates = {parse_gate("T(any) rises 1%", "test").value()};
  const Comparison comparison = compare(before, after, options).value();
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kFailed) << comparison.gates[0].evidence;
  EXPECT_FALSE(comparison.passed);
}

}  // namespace
}  // namespace kstar
