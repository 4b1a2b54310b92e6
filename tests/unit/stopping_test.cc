// The stopping rule's promise, on seeded studies; the bounds leave room for three Monte-Carlo
// standard errors. bench_stopping has the whole table.
#include "kstar/stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stats/noise.h"
#include "support/stopping_trial.h"

namespace kstar {
namespace {

using Groups = std::vector<std::vector<double>>;
using noise::ProcessPointer;
constexpr std::size_t kStudies = 150;

std::vector<ProcessPointer> six(const ProcessPointer& process) {
  return std::vector<ProcessPointer>(6, process);
}

std::vector<double> draw(const noise::Process& process, std::size_t n, Random& random) {
  double state = -std::numeric_limits<double>::infinity();
  std::vector<double> samples;
  while (samples.size() < n) samples.push_back(process.next(random, state));
  return samples;
}

Groups draw(const std::vector<ProcessPointer>& study, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Groups groups;
  for (const auto& process : study) groups.push_back(draw(*process, n, random));
  return groups;
}

void expect_promise(const std::vector<ProcessPointer>& study, double precision,
                    double least_coverage, double most_runs) {
  const StoppingRule rule{.precision = precision, .max_runs = 400};
  const auto oracle = noise::try_oracle(study, rule, 1, 1);
  const auto found = noise::try_rule(study, rule, kStudies, 11);
  EXPECT_GE(found.coverage, least_coverage) << "+- " << found.standard_error;
  EXPECT_LE(found.runs / oracle.runs, most_runs);
}

TEST(StoppingRule, KeepsItsPromiseOnIndependentRuns) {
  expect_promise(six(noise::normal(0.02)), 0.02, 0.95, 1.1);
  expect_promise(six(noise::normal(0.033)), 0.02, 0.94, 1.27);
  expect_promise(six(noise::normal(0.05)), 0.02, 0.935, 1.2);
}

TEST(StoppingRule, KeepsItsPromiseOnCorrelatedRuns) {
  expect_promise(six(noise::normal(0.03, 0.3)), 0.02, 0.91, 1.2);
  expect_promise(six(noise::normal(0.05, 0.3)), 0.02, 0.92, 1.2);
}

TEST(StoppingRule, KeepsItsPromiseWhenOneRunInTwentyIsSlow) {
  expect_promise(six(noise::normal(0.02, 0, 0.05)), 0.02, 0.91, 1.25);
  expect_promise(six(noise::normal(0.02, 0.3, 0.05)), 0.02, 0.91, 1.25);
}

TEST(StoppingRule, KeepsItsPromiseOnSkewedAndOnRecordedNoise) {
  expect_promise(six(noise::lognormal(0.05)), 0.02, 0.93, 1.25);
  expect_promise(noise::recorded("loop.txt", 20), 0.05, 0.91, 1.27);
  expect_promise(noise::recorded("threads_triad.txt", 1), 0.05, 0.93, 1.3);
}

// One K here is correlated by 0.7 from step to step and yet told by 120: what it promises must not
// be believed when a long series says otherwise.
TEST(StoppingRule, DoesNotOverpayWhereTheKAreCorrelatedInTheirOwnWays) {
  expect_promise(noise::recorded("ddp_weak.txt", 12), 0.05, 0.93, 1.27);
}

TEST(StoppingRule, FewKSeeRareSlowRunsTooForTheyRunMore) {
  const std::vector<ProcessPointer> three(3, noise::normal(0.02, 0, 0.05));
  expect_promise(three, 0.02, 0.9, 1.4);
}

TEST(StoppingRule, FewRunsHaveIntervalsThatAllowForSlowRunsNotSeenYet) {
  const Groups quiet = draw(std::vector<ProcessPointer>(3, noise::normal(0.001)), 14, 1);
  const RunPrecision early = judge_all(quiet).value().front();
  EXPECT_FALSE(early.done);
  EXPECT_EQ(early.runs_expected, 15U);  // 45 in all
  EXPECT_GT(early.relative_half_width, unseen_slowdown(3 * 14));
  EXPECT_TRUE(judge_all(quiet, {.precision = 0.05}).value().front().precise);
  const RunPrecision last = judge_all(quiet, {.max_runs = 14}).value().front();
  EXPECT_TRUE(last.done);
  EXPECT_FALSE(last.precise);
}

TEST(StoppingRule, TheFewestRunsFollowFromThePrecision) {
  EXPECT_NEAR(unseen_slowdown(20), 0.3 * (1 - std::pow(0.05, 0.05)), 1e-12);
  EXPECT_EQ(unseen_slowdown(kStudyRuns), 0);
  EXPECT_EQ(fewest_study_runs(0.001), kStudyRuns);
  EXPECT_EQ(fewest_study_runs(0.02), 44U);
  EXPECT_EQ(fewest_study_runs(0.05), 17U);
  EXPECT_EQ(fewest_study_runs(0.1), 8U);
}

// A wide precision ends after four runs at each of three K; what they promise must hold.
TEST(StoppingRule, KeepsItsPromiseAfterFewRuns) {
  for (const auto& process : {noise::normal(0.01), noise::normal(0.05, 0.3),
                              noise::normal(0.01, 0, 0.05), noise::normal(0.02, 0, 0.1)}) {
    expect_promise(std::vector<ProcessPointer>(3, process), 0.1, 0.93, 1.4);
  }
  expect_promise(std::vector<ProcessPointer>(3, noise::normal(0.01)), 0.1, 0.95, 0.5);
}

TEST(StoppingRule, ANaiveRuleDoesNot) {
  const StoppingRule rule{.max_runs = 400};
  EXPECT_LT(noise::try_naive(six(noise::normal(0.03, 0.3)), rule, kStudies, 5).coverage, 0.85);
  EXPECT_LT(noise::try_naive(six(noise::normal(0.02, 0, 0.05)), rule, kStudies, 5).coverage, 0.75);
}

TEST(StoppingRule, StopsAtMinRunsWhereAllRunsAreEqual) {
  const auto verdicts = judge_all(Groups(6, std::vector<double>(10, 2.5))).value();
  for (const RunPrecision& verdict : verdicts) {
    EXPECT_TRUE(verdict.done);
    EXPECT_TRUE(verdict.precise);
    EXPECT_EQ(verdict.relative_half_width, 0);
    EXPECT_EQ(verdict.estimate.point, 2.5);
    EXPECT_EQ(verdict.estimate.method, IntervalMethod::kPooled);
    EXPECT_EQ(verdict.runs_expected, 10U);
  }
}

TEST(StoppingRule, NeverStopsBeforeMinRunsAndAlwaysAtMaxRuns) {
  const std::vector<ProcessPointer> forty(40, noise::normal(0.001));
  const auto quiet = draw(forty, 2, 1);
  const auto verdicts = judge_all(quiet).value();
  for (const RunPrecision& verdict : verdicts) {
    EXPECT_FALSE(verdict.done);
    EXPECT_EQ(verdict.runs_expected, 3U);
  }
  const auto loud = draw(six(noise::normal(0.2)), 12, 1);
  const auto at_most = judge_all(loud, {.max_runs = 12}).value();
  for (const RunPrecision& verdict : at_most) {
    EXPECT_TRUE(verdict.done);
    EXPECT_FALSE(verdict.precise);
    EXPECT_GT(verdict.relative_half_width, 0.02);
    EXPECT_EQ(verdict.runs_expected, 12U);
    EXPECT_NEAR(verdict.half_width_at_most, verdict.relative_half_width, 1e-9);
  }
}

TEST(StoppingRule, ForeseesTheRunsItWillNeed) {
  const auto verdicts = judge_all(draw(six(noise::normal(0.05)), 15, 3)).value();
  for (const RunPrecision& verdict : verdicts) {
    EXPECT_GT(verdict.runs_expected, 20U);
    EXPECT_LT(verdict.runs_expected, 45U);
    EXPECT_LT(verdict.half_width_at_most, 0.02);
    EXPECT_GT(verdict.half_width_at_most, 0.005);
  }
}

TEST(StoppingRule, ReopensAKWhenTheOthersShowMoreNoise) {
  Groups groups = draw(six(noise::normal(0.01)), 10, 4);
  EXPECT_TRUE(judge_all(groups).value()[0].done);
  Random random(5);
  for (std::size_t k = 1; k < groups.size(); ++k) {
    groups[k] = draw(*noise::normal(0.01, 0, 0.2), 10, random);
  }
  EXPECT_FALSE(judge_all(groups).value()[0].done);
}

TEST(StoppingRule, RefusesWhatMakesNoSense) {
  const Groups groups(2, {1, 2, 3});
  EXPECT_EQ(judge_all(groups, {.precision = 0}).error().where, "precision");
  EXPECT_EQ(judge_all(groups, {.precision = std::nan("")}).error().where, "precision");
  EXPECT_EQ(judge_all(groups, {.confidence = 95}).error().where, "confidence");
  EXPECT_EQ(judge_all(groups, {.min_runs = 1}).error().where, "min_runs");
  EXPECT_EQ(judge_all(groups, {.min_runs = 5, .max_runs = 4}).error().where, "max_runs");
  EXPECT_EQ(judge_all(Groups{{1, -1}}).error().where, "samples");
  EXPECT_EQ(judge(groups[0], NoisePool{}).error().where, "pool");
}

TEST(StoppingRule, TakesGroupsWithNoRunOrOne) {
  const auto verdicts = judge_all(Groups{{}, {1}, {1, 1.1}}).value();
  ASSERT_EQ(verdicts.size(), 3U);
  for (const RunPrecision& verdict : verdicts) EXPECT_FALSE(verdict.done);
  EXPECT_EQ(verdicts[1].estimate.method, IntervalMethod::kNone);
  EXPECT_TRUE(std::isinf(verdicts[1].relative_half_width));
  EXPECT_TRUE(is_bounded(verdicts[2].estimate));
}

TEST(NoisePool, FindsTheScatterAndTheCorrelation) {
  const auto pool = pool_noise(draw(six(noise::normal(0.03, 0.3)), 400, 6)).value();
  EXPECT_EQ(pool.groups, 6U);
  EXPECT_EQ(pool.runs, 2400U);
  EXPECT_NEAR(std::sqrt(pool.relative_variance), 0.03, 0.002);
  EXPECT_NEAR(pool.correlation, 0.3, 0.06);
  EXPECT_LT(pool.variance_spread, 0.02);
  EXPECT_LT(pool.kurtosis, 0.5);
  EXPECT_LT(pool.persistence, 1.2);
}

TEST(NoisePool, TellsANoisyKFromRareSlowRuns) {
  auto study = six(noise::normal(0.01));
  study.back() = noise::normal(0.05);
  const auto noisy = pool_noise(draw(study, 40, 7)).value();
  EXPECT_GT(noisy.variance_spread, 1);
  EXPECT_LT(noisy.kurtosis, 1.5);
  const auto rare = pool_noise(draw(six(noise::normal(0.01, 0, 0.05)), 40, 7)).value();
  EXPECT_GT(rare.kurtosis, 8);
  EXPECT_LT(rare.variance_spread, 0.3);
}

TEST(NoisePool, DoesNotDependOnTheUnit) {
  Groups groups = draw(six(noise::normal(0.03, 0.3)), 25, 8);
  const auto seconds = judge_all(groups).value();
  for (auto& group : groups) {
    for (double& sample : group) sample *= 1024;
  }
  const auto others = judge_all(groups).value();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    EXPECT_NEAR(seconds[k].relative_half_width, others[k].relative_half_width, 1e-12);
  }
}

// 1 + 2 ((3/4) 0.5 + (2/4) 0.25 + (1/4) 0.125), by hand.
TEST(NoisePool, SumsTheAutoregressionExactly) {
  EXPECT_DOUBLE_EQ(stats::autoregressive_factor(0.5, 4), 2.0625);
  EXPECT_DOUBLE_EQ(stats::autoregressive_factor(0, 7), 1);
  EXPECT_NEAR(stats::autoregressive_factor(0.9, 1), 1, 1e-12);
}

// An oracle for 5% and 2%: (1.96 x 0.05 / 0.02)^2 = 24.01.
TEST(Oracle, RunsAsOftenAsTheTextbookSays) {
  EXPECT_EQ(noise::oracle_runs(*noise::normal(0.05), {}), 25U);
  EXPECT_EQ(noise::oracle_runs(*noise::normal(0.02), {}), 4U);
  EXPECT_EQ(noise::oracle_runs(*noise::normal(0.02, 0.3), {}), 7U);
}

}  // namespace
}  // namespace kstar
