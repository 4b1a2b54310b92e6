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
  double grows = 0;        ///< by how much of itself the noise grows from one K to the next
};

/// Five runs at each K with 2% of noise, at the first K where it grows.
Times drawn(Random& random, const Drawn& how = {}) {
  constexpr int kRuns = 5;
  Times times;
  std::vector<double> blocks;
  for (int run = 0; run < kRuns; ++run) blocks.push_back(how.mood * random.normal());
  double noise = 0.02;
  for (const int k : kWorkers) {
    double state = random.normal();
    for (const double block : blocks) {
      const double factor = how.at == 0 || how.at == k ? 1 + how.change : 1;
      const double slow = random.uniform() < how.slow ? 1.05 + 0.15 * random.uniform() : 1;
      times[k].push_back(100.0 / k * factor * slow * std::exp(noise * state + block));
      state = how.correlation * state +
              std::sqrt(1 - how.correlation * how.correlation) * random.normal();
    }
    noise *= 1 + how.grows;
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

// With 3% of slow runs; the limits here are two standard deviations of 400 pairs from what 24,000
// pairs of other seeds give (docs/compare.md).
TEST(CompareJoint, FindsASmallChangeAndNoneWhereThereIsNone) {
  constexpr double kSlow = 0.03;
  EXPECT_LE(found({.slow = kSlow}), 0.05);
  EXPECT_LE(found({.correlation = 0.3, .slow = kSlow}), 0.07) << "runs of a K that are alike";
  EXPECT_LE(found({.mood = 0.02, .slow = kSlow}), 0.06) << "noise shared by a block";
  EXPECT_GE(found({.change = 0.05, .slow = kSlow}), 0.99);
  EXPECT_GE(found({.change = 0.03, .slow = kSlow}), 0.94);
  EXPECT_GE(found({.change = 0.05, .at = 4, .slow = kSlow}), 0.55);
}

// From 2% at K = 1 to 6.4% at K = 32.
TEST(CompareJoint, NoiseThatGrowsWithKIsNoChange) {
  EXPECT_LE(found({.slow = 0.03, .grows = 0.26}), 0.085);
}

// The changes at the other K say how far equal programs differ. Where half of them changed, they
// say less, and not that nothing did.
TEST(CompareJoint, AChangeAtEverySecondKIsFound) {
  Random random(21);
  int seen = 0;
  constexpr int kHalfPairs = 200;
  for (int pair = 0; pair < kHalfPairs; ++pair) {
    const Times before = drawn(random);
    Times after = drawn(random);
    for (const int k : {2, 8, 32}) {
      for (double& time : after[k]) time *= 1.06;
    }
    const auto test = joint_test(before, after, 0.95);
    const bool each = std::any_of(test->at.begin(), test->at.end(),
                                  [](const RatioChange& one) { return one.adjusted_p < 0.05; });
    seen += each || test->all.verdict == ChangeVerdict::kWorse ? 1 : 0;
  }
  EXPECT_GE(seen, kHalfPairs * 8 / 10);
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
  EXPECT_EQ(slow->all.after, 5U);
  EXPECT_EQ(slow->all.before, 0U);
  EXPECT_NEAR(slow->all.p, 2 * 15504.0 / 658008.0, 1e-9);
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

/// Runs at 1, 2, 4 and 8 workers with 1% of noise; the first `slow` of them at K = 8 take six
/// times as long.
Study tailed(std::uint64_t seed, int runs, int slow) {
  Random random(seed);
  Study study;
  study.header.regime = Regime::kStrong;
  study.header.source.kind = SourceKind::kSimulated;
  for (const int k : {1, 2, 4, 8}) {
    for (int run = 0; run < runs; ++run) {
      const double factor = k == 8 && run < slow ? 6 : 1;
      study.runs.push_back(
          {.workers = k, .wall = factor * 100.0 / k * std::exp(0.01 * random.normal())});
    }
  }
  return study;
}

CompareOptions gated_on_time() {
  CompareOptions options;
  options.gates = {parse_gate("T(8) rises 5%", "test").value()};
  return options;
}

TEST(CompareJoint, ANewTailAtOneKIsAChange) {
  const Comparison comparison =
      compare(tailed(1, 20, 0), tailed(2, 20, 9), gated_on_time()).value();
  const WorkersChange& at_8 = comparison.points.back();
  ASSERT_TRUE(at_8.slow_runs);
  EXPECT_EQ(at_8.slow_runs->after, 9U);
  EXPECT_NEAR(at_8.slow_runs->factor, 6, 0.1);
  EXPECT_LT(at_8.slow_runs->adjusted_p, 0.01);
  EXPECT_EQ(comparison.slow_runs->after, 9U);
  EXPECT_TRUE(at_8.by_slow_runs);
  EXPECT_FALSE(at_8.settled);
  EXPECT_EQ(at_8.verdict, ChangeVerdict::kWorse);
  EXPECT_EQ(comparison.points[1].verdict, ChangeVerdict::kNoEvidence);
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kFailed) << comparison.gates[0].evidence;
}

TEST(CompareJoint, ATailThatWentIsBetter) {
  const Comparison comparison =
      compare(tailed(1, 20, 9), tailed(2, 20, 0), gated_on_time()).value();
  EXPECT_EQ(comparison.points.back().verdict, ChangeVerdict::kBetter);
  EXPECT_TRUE(comparison.points.back().by_slow_runs);
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kPassed) << comparison.gates[0].evidence;
}

TEST(CompareJoint, ATailOfTooFewRunsLeavesItOpen) {
  const Comparison comparison = compare(tailed(1, 5, 0), tailed(2, 5, 2), gated_on_time()).value();
  const WorkersChange& at_8 = comparison.points.back();
  EXPECT_EQ(at_8.verdict, ChangeVerdict::kNoEvidence);
  EXPECT_FALSE(at_8.settled);
  EXPECT_GT(at_8.more_runs.value_or(0), 5U);
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kUndecided) << comparison.gates[0].evidence;
}

TEST(CompareJoint, AsManySlowRunsOnBothSidesAreNoChange) {
  const Comparison comparison =
      compare(tailed(1, 20, 4), tailed(2, 20, 4), gated_on_time()).value();
  EXPECT_FALSE(comparison.points.back().by_slow_runs);
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kPassed) << comparison.gates[0].evidence;
}

}  // namespace
}  // namespace kstar
