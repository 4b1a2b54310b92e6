#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare/evidence.h"
#include "compare/side.h"
#include "kstar/compare.h"
#include "kstar/stats.h"
#include "support/compared_studies.h"

// Ratios, chances, and what rounding hides.
namespace kstar {
namespace {

using testing::HasSubstr;

Estimate estimate_of(double point, double error, double degrees) {
  return {.point = point,
          .standard_error = error,
          .n = 5,
          .method = IntervalMethod::kPooled,
          .degrees = degrees};
}

TEST(CompareEvidence, ARatioOfEstimatesIsWelchOnLogarithms) {
  // Relative errors of 3% and 4% make one of 5%; with shares of 0.36 and 0.64 of the variance
  // and 10 degrees each, 1 / (0.36^2/10 + 0.64^2/10) = 18.546; t is 2.0967 there.
  const auto ratio = estimate_ratio(estimate_of(12, 0.36, 10), estimate_of(10, 0.4, 10), 0.95);
  ASSERT_TRUE(ratio) << ratio.error().message;
  EXPECT_DOUBLE_EQ(ratio->point, 1.2);
  EXPECT_NEAR(ratio->standard_error, 0.06, 1e-12);
  EXPECT_NEAR(ratio->degrees, 18.546, 1e-3);
  EXPECT_NEAR(ratio->low, 1.2 * std::exp(-2.0967 * 0.05), 1e-4);
  EXPECT_NEAR(ratio->high, 1.2 * std::exp(2.0967 * 0.05), 1e-4);
  EXPECT_EQ(ratio->method, IntervalMethod::kPooled);
}

TEST(CompareEvidence, AnExactNumberAddsNothingToTheErrorOfARatio) {
  Estimate one{.point = 1, .standard_error = 0};
  const auto ratio = estimate_ratio(estimate_of(2, 0.1, 7), one, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->standard_error, 0.1, 1e-12);
  EXPECT_NEAR(ratio->degrees, 7, 1e-6);
}

TEST(CompareEvidence, ARatioOfOneRunHasNoInterval) {
  const Estimate bare{.point = 2, .standard_error = std::nan(""), .n = 1};
  const auto ratio = estimate_ratio(bare, estimate_of(1, 0.1, 7), 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->method, IntervalMethod::kNone);
  EXPECT_TRUE(std::isnan(comparing::chance_of(*ratio)));
  EXPECT_FALSE(comparing::more_runs(*ratio, {}));
}

TEST(CompareEvidence, TheChanceIsThatOfStudent) {
  // log(1.1) / 0.05 = 1.9062: with 10 degrees, two-sided, 0.0857.
  Estimate ratio{.point = 1.1, .standard_error = 0.055, .method = IntervalMethod::kPooled};
  ratio.degrees = 10;
  EXPECT_NEAR(comparing::chance_of(ratio), 0.0857, 1e-4);
  ratio.standard_error = 0;
  EXPECT_EQ(comparing::chance_of(ratio), 0);
  ratio.point = 1;
  EXPECT_EQ(comparing::chance_of(ratio), 1);
}

TEST(CompareEvidence, HolmIsAsInHisPaper) {
  // p = 0.01, 0.04, 0.03, 0.005 -> 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.06 again for 1 x 0.04.
  std::vector<RatioChange> changes(5);
  const double chances[] = {0.01, 0.04, 0.03, 0.005, std::nan("")};
  std::vector<RatioChange*> pointers;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].p = chances[i];
    pointers.push_back(&changes[i]);
  }
  comparing::adjust(pointers);
  EXPECT_DOUBLE_EQ(changes[0].adjusted_p, 0.03);
  EXPECT_DOUBLE_EQ(changes[1].adjusted_p, 0.06);
  EXPECT_DOUBLE_EQ(changes[2].adjusted_p, 0.06);
  EXPECT_DOUBLE_EQ(changes[3].adjusted_p, 0.02);
  EXPECT_TRUE(std::isnan(changes[4].adjusted_p));
  EXPECT_FALSE(comparing::is_evident(changes[4], 0.95));
  EXPECT_TRUE(comparing::is_evident(changes[0], 0.95));
  EXPECT_FALSE(comparing::is_evident(changes[1], 0.95));
}

TEST(CompareEvidence, MoreRunsFollowFromTheNoiseAndTheDifference) {
  // An error of 3% with 5 runs a side and many degrees: 5% needs
  // n = 5 ((1.96 + 0.8416) 0.03 / log 1.05)^2 = 14.8, ten more.
  Estimate ratio{.point = 1.0, .standard_error = 0.03, .method = IntervalMethod::kPooled};
  ratio.degrees = 1e6;
  comparing::RunsAsked asked{.runs_before = 5, .runs_after = 5};
  EXPECT_EQ(comparing::more_runs(ratio, asked), 10U);
  // A difference of 10% was seen: n = 5 (2.8016 x 0.03 / log 1.1)^2 = 3.9; then one more is asked.
  ratio.point = 1.1;
  ratio.standard_error = 0.033;
  EXPECT_EQ(comparing::more_runs(ratio, asked), 1U);
  // Of 12 K, 0.05 / 12 is 2.865 errors: n = 5 ((2.865 + 0.8416) 0.03 / log 1.05)^2 = 25.97.
  ratio.point = 1;
  ratio.standard_error = 0.03;
  asked.compared = 12;
  EXPECT_EQ(comparing::more_runs(ratio, asked), 21U);
}

/// One K after the other, each with its times.
Study study_with(const std::vector<std::pair<int, std::vector<double>>>& times) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const auto& [workers, walls] : times) {
    for (std::size_t i = 0; i < walls.size(); ++i) {
      study.runs.push_back(run_of(workers, walls[i], static_cast<int>(i)));
    }
  }
  return study;
}

double hidden(const Study& study, const std::vector<double>& times,
              comparing::TimeKind kind = comparing::TimeKind::kRun) {
  return comparing::hidden_by_rounding(times, comparing::digits_of(study, kind)).error;
}

TEST(CompareRounding, EqualRunsHideAStepOfTheLastDigit) {
  const double part = 1 / std::sqrt(12.0);
  const Study seconds = study_with({{1, {100, 100}}, {8, {15, 15}}});
  EXPECT_NEAR(hidden(seconds, {100, 100}), 0.01 * part, 1e-15);
  EXPECT_NEAR(hidden(seconds, {15, 15}), part / 15, 1e-15);
  EXPECT_EQ(hidden(seconds, {100}), 0);  // one run has no interval at all
  EXPECT_EQ(hidden(seconds, {100, 101}), 0);
  // Tenths of a second, or three digits: which cannot be told, and the wider step counts.
  const Study tenths = study_with({{1, {100, 100}}, {8, {15.2, 15.3}}});
  EXPECT_NEAR(hidden(tenths, {100, 100}), 0.01 * part, 1e-15);
  const Study finer = study_with({{1, {100.1, 100}}, {8, {15.2, 15.2}}});
  EXPECT_NEAR(hidden(finer, {15.2, 15.2}), 0.1 / 15.2 * part, 1e-15);
  // 0.0052 s and 0.0150 s: a tenth of a millisecond.
  const Study small = study_with({{1, {0.015, 0.015}}, {8, {0.0052, 0.0052}}});
  EXPECT_NEAR(hidden(small, {0.0052, 0.0052}), 0.0001 / 0.0052 * part, 1e-15);
  EXPECT_NEAR(hidden(small, {0.015, 0.015}), 0.001 / 0.015 * part, 1e-15);
  // A clock with all digits hides nothing that could be seen.
  EXPECT_EQ(hidden(study_with({{1, {0.1234567890123, 2}}}), {2, 2}), 0);
}

TEST(CompareRounding, OfRatesTheDigitsAreThoseOfTheRate) {
  const Study rates = study_with({{1, {1.0 / 100, 1.0 / 100}}, {4, {1.0 / 370, 1.0 / 370}}});
  EXPECT_NEAR(hidden(rates, {1.0 / 370, 1.0 / 370}, comparing::TimeKind::kUnit),
              1 / 370.0 / std::sqrt(12.0), 1e-12);
}

TEST(CompareRounding, EqualRunsAreNoProofOfAChange) {
  const auto result = compare(study_with({{1, {100, 100, 100, 100}}, {8, {15, 15, 15, 15}}}),
                              study_with({{1, {101, 101, 101, 101}}, {8, {15, 15, 15, 15}}}),
                              {.gates = gates_of({"T(any) rises 0.5%", "E(8) rises 0.5%"})});
  ASSERT_TRUE(result) << result.error().message;
  // Relative errors of 0.2887% and 0.2858%, 6 degrees of freedom: t is 2.4469.
  const Estimate& ratio = at(*result, 1).time.ratio;
  const double error = std::hypot(1.0 / 100, 1.0 / 101) / std::sqrt(12.0);
  EXPECT_NEAR(ratio.degrees, 6, 0.01);
  EXPECT_NEAR(ratio.low, 1.01 * std::exp(-2.4469 * error), 1e-5);
  EXPECT_NEAR(ratio.high, 1.01 * std::exp(2.4469 * error), 1e-5);
  EXPECT_EQ(at(*result, 1).verdict, ChangeVerdict::kNoEvidence);
  EXPECT_FALSE(at(*result, 8).settled);
  EXPECT_FALSE(at(*result, 8).more_runs);
  EXPECT_NEAR(at(*result, 8).efficiency->ratio.standard_error / 1.01,
              std::hypot(error, std::sqrt(2.0) / 15 / std::sqrt(12.0)), 1e-9);
  EXPECT_EQ(at(*result, 1).efficiency->ratio.standard_error, 0);  // E of the base is 1
  for (const GateOutcome& gate : result->gates) EXPECT_EQ(gate.verdict, GateVerdict::kUndecided);
  ASSERT_TRUE(find(*result, "equal-runs"));
  EXPECT_THAT(find(*result, "equal-runs")->text, HasSubstr("at K = 1, 8: rounding hides"));
}

TEST(CompareRounding, AChangeOfManyStepsIsEvidentAllTheSame) {
  const auto result = compare(study_with({{1, {100, 100, 100, 100}}, {8, {15, 15, 15, 15}}}),
                              study_with({{1, {110, 110, 110, 110}}, {8, {20, 20, 20, 20}}}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(at(*result, 1).verdict, ChangeVerdict::kWorse);
  EXPECT_EQ(at(*result, 8).verdict, ChangeVerdict::kWorse);
}

}  // namespace
}  // namespace kstar
