#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/fit/efficiency_curve.h"
#include "base/random.h"

namespace kstar {
namespace {

kstar::Run run_of(int workers, double wall, std::optional<int> block = {}) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.block = block;
  return run;
}

BendAnswer bend_of(const Study& study, const BendOptions& options = {}) {
  const SampleGroups groups = group_runs(study);
  const ScalingTable table =
      scaling_table(study, {.threshold = options.threshold, .confidence = options.confidence})
          .value();
  return find_bend(curve_of(table, groups), options);
}

/// Section 5.2's table: five runs each with its mean and its standard deviation.
Study seed_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  constexpr double kUnit = 0.6324555320336759;  // sqrt(2/5): then the deviation is 1
  const std::vector<std::tuple<int, double, double>> rows = {
      {1, 1.0047, 0.0091},  {2, 0.5343, 0.0098},  {4, 0.3032, 0.0034}, {8, 0.1884, 0.0039},
      {16, 0.1392, 0.0026}, {32, 0.1189, 0.0026}, {64, 0.1140, 0.0022}};
  for (const auto& [k, mean, deviation] : rows) {
    for (const int i : {0, 2, -1, 1, -2}) {
      study.runs.push_back(run_of(k, mean + kUnit * i * deviation));
    }
  }
  return study;
}

TEST(Bend, OfThePublishedTableIsEight) {
  const auto table = scaling_table(seed_study()).value();
  const double efficiency[] = {1.000, 0.940, 0.828, 0.667, 0.451, 0.264, 0.138};
  const double speedup[] = {1.00, 1.88, 3.31, 5.33, 7.22, 8.45, 8.82};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(table.points[i].efficiency->point, efficiency[i], 0.0006);
    EXPECT_NEAR(table.points[i].speedup->point, speedup[i], 0.01);  // of rounded times
  }
  const BendAnswer answer = bend_of(seed_study());
  ASSERT_TRUE(answer.bend);
  EXPECT_EQ(answer.bend->last_good, 4);
  EXPECT_EQ(answer.bend->first_bad, 8);
  EXPECT_GT(answer.bend->agreement, 0.98);
  EXPECT_EQ(answer.bend->low, 8);
  EXPECT_EQ(answer.bend->high, 8);
  EXPECT_EQ(answer.advice.workers, 4);
  EXPECT_FALSE(answer.advice.open);
}

/// Efficiencies with an error of their logarithm, and no runs.
EfficiencyCurve curve_with(const Samples& none,
                           const std::vector<std::tuple<int, double, double>>& points,
                           double degrees) {
  EfficiencyCurve curve;
  for (const auto& [k, point, error] : points) {
    curve.points.push_back({.workers = k,
                            .efficiency = {.point = point,
                                           .standard_error = point * error,
                                           .low = point * std::exp(-2 * error),
                                           .high = point * std::exp(2 * error),
                                           .method = IntervalMethod::kWelchLogEffective,
                                           .degrees = degrees},
                            .samples = &none});
  }
  return curve;
}

// log(0.7 / 0.65) = 0.0741; with an error of 0.1 that is t = 0.741, and P(T_4 < 0.741) = 0.750.
TEST(Bend, AgreementIsTheProbabilityThatStudentsTGives) {
  const Samples none;
  const auto curve = curve_with(none, {{1, 1, 0}, {2, 0.65, 0.1}}, 4);
  const BendAnswer answer = find_bend(curve, {.resamples = 100000});
  EXPECT_NEAR(answer.bend->agreement, 0.750, 0.006);
  EXPECT_EQ(answer.bend->low, 2);
  EXPECT_FALSE(answer.bend->high);  // a quarter of the resamples does not bend at all
  EXPECT_EQ(answer.advice.workers, 1);
  EXPECT_EQ(answer.advice.low, 1);
  EXPECT_EQ(answer.advice.high, 2);
}

// Two K at the threshold without anything in common: one half bends at the first, one quarter at
// the second, and one quarter at the third, which is always bad.
TEST(Bend, SpreadsOverTheKThatCannotBeTold) {
  const Samples none;
  const auto curve = curve_with(none, {{1, 1, 0}, {2, 0.7, 0.05}, {4, 0.7, 0.05}, {8, 0.2, 0}}, 0);
  const BendAnswer half = find_bend(curve, {.confidence = 0.6, .resamples = 40000});
  EXPECT_EQ(half.bend->first_bad, 8);
  EXPECT_NEAR(half.bend->agreement, 0.25, 0.01);
  EXPECT_EQ(half.bend->low, 2);
  EXPECT_EQ(half.bend->high, 8);
  EXPECT_EQ(half.advice.workers, 4);
  EXPECT_EQ(half.advice.low, 1);
  EXPECT_EQ(half.advice.high, 4);
  const BendAnswer narrow = find_bend(curve, {.confidence = 0.02, .resamples = 40000});
  EXPECT_EQ(narrow.advice.low, 1);  // one half bends at K = 2, and then K* is the K before it
}

TEST(Bend, IsAtTheThresholdStrictlyBelow) {
  const Samples none;
  const auto curve = curve_with(none, {{1, 1, 0}, {2, 0.7, 0}, {4, 0.6999, 0}}, 0);
  const BendAnswer answer = find_bend(curve, {});
  EXPECT_EQ(answer.bend->first_bad, 4);
  EXPECT_EQ(answer.bend->agreement, 1);
}

TEST(Bend, KStarIsTheLastKBeforeItAndALaterGoodOneIsSaidBeside) {
  const Samples none;
  const auto curve = curve_with(none, {{1, 1, 0}, {4, 0.9, 0}, {8, 0.6, 0}, {12, 0.8, 0}}, 0);
  const BendAnswer answer = find_bend(curve, {});
  EXPECT_EQ(answer.bend->first_bad, 8);
  EXPECT_EQ(answer.advice.workers, 4);
  EXPECT_EQ(answer.advice.good_again, 12);
  EXPECT_FALSE(answer.advice.open);
}

TEST(Bend, NoneLeavesTheAnswerOpen) {
  const Samples none;
  const BendAnswer answer = find_bend(curve_with(none, {{1, 1, 0}, {2, 0.9, 0.01}}, 9), {});
  EXPECT_FALSE(answer.bend);
  EXPECT_TRUE(answer.advice.open);
  EXPECT_EQ(answer.advice.workers, 2);
  EXPECT_EQ(answer.advice.low, 2);
  EXPECT_EQ(answer.advice.high, 2);
}

TEST(Bend, OneRunEachCannotBeResampled) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const auto& [k, time] : {std::pair{1, 100.0}, {2, 52.0}, {4, 29.0}, {8, 19.0}}) {
    study.runs.push_back(run_of(k, time));
  }
  const BendAnswer answer = bend_of(study);
  EXPECT_FALSE(answer.resampled);
  EXPECT_EQ(answer.bend->first_bad, 8);
  EXPECT_TRUE(std::isnan(answer.bend->agreement));
  EXPECT_EQ(answer.bend->low, 1);
  EXPECT_FALSE(answer.bend->high);
}

/// T(K) = mood of the block x (0.1 + 0.9 / K) x noise: E is 1, 0.909, 0.769, 0.588.
Study noisy_study(Random& random, int blocks, double mood, double noise) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < blocks; ++block) {
    const double shared = 1 + mood * random.normal();
    for (const int k : {1, 2, 4, 8}) {
      const double time = (0.1 + 0.9 / k) * shared * (1 + noise * random.normal());
      study.runs.push_back(run_of(k, time, block));
    }
  }
  return study;
}

TEST(Bend, WhatBlocksShareDoesNotBlurIt) {
  Random random(3);
  const BendAnswer answer = bend_of(noisy_study(random, 8, 0.1, 0.005));
  EXPECT_EQ(answer.bend->first_bad, 8);
  EXPECT_GT(answer.bend->agreement, 0.999);
}

// The threshold lies a hair above or below E(4): the bend is hard to tell, and the K named must
// hold the true one as often as promised.
TEST(Bend, TheKNamedHoldTheTrueOne) {
  Random random(11);
  constexpr int kStudies = 400;
  for (const double threshold : {0.765, 0.773}) {
    const int truth = threshold < 0.769 ? 8 : 4;
    int held = 0, named = 0;
    for (int i = 0; i < kStudies; ++i) {
      const BendAnswer answer =
          bend_of(noisy_study(random, 5, 0.05, 0.02), {.threshold = threshold, .resamples = 1000});
      const Bend& bend = answer.bend.value();
      held += bend.low <= truth && (!bend.high || truth <= *bend.high) ? 1 : 0;
      named += bend.first_bad == truth ? 1 : 0;
    }
    EXPECT_GE(held, kStudies * 95 / 100) << threshold;
    EXPECT_LT(named, kStudies * 80 / 100) << "or the question was too easy";
  }
}

TEST(Bend, TheSameSeedGivesTheSameAnswer) {
  Random random(5);
  const Study study = noisy_study(random, 5, 0.05, 0.03);
  const BendOptions options{.threshold = 0.77, .resamples = 500, .seed = 9};
  EXPECT_EQ(bend_of(study, options).bend->agreement, bend_of(study, options).bend->agreement);
}

/// Blocks that drift, and one run of every K in each.
Study drifting_study(int points, int blocks, double own_noise = 0.03) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < blocks; ++block) {
    Random random(static_cast<std::uint64_t>(block) + 7);  // the same at a K whatever follows
    const double drift = 1 + 0.02 * random.normal();
    for (int k = 1; k <= points; ++k) {
      const double own = 1 + own_noise * random.normal();
      study.runs.push_back(run_of(k, (0.02 + 1.0 / k) * (k > 1 ? drift : 1) * own, block));
    }
  }
  return study;
}

TEST(Bend, CommonCausesGiveEveryPairOfKTheCorrelationThatItHas) {
  const Study study = drifting_study(12, 40, 0.04);
  const SampleGroups groups = group_runs(study);
  const ScalingTable table = scaling_table(study).value();
  const EfficiencyCurve curve = curve_of(table, groups);
  const JointErrors joint = joint_errors(curve).value();
  const CommonCauses common = common_causes(curve, joint.errors);
  const std::size_t count = curve.points.size();
  ASSERT_EQ(common.loadings.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double together = 0;
      for (const Loading& a : common.loadings[i]) {
        for (const Loading& b : common.loadings[j]) {
          if (a.cause == b.cause) together += a.share * b.share;
        }
      }
      EXPECT_NEAR(together, joint.correlations[i * count + j], 1e-9) << i << " and " << j;
    }
  }
}

/// How likely the bend is at a K up to each.
template <typename Draw>
std::vector<double> chances_of(const EfficiencyCurve& curve, double threshold, const Draw& draw) {
  constexpr std::size_t kDraws = 4000;
  std::vector<double> chances(curve.points.size() + 1, 0.0);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::vector<double> errors = draw();
    std::size_t place = 0;
    while (place < errors.size() &&
           curve.points[place].efficiency.point * std::exp(errors[place]) >= threshold) {
      ++place;
    }
    for (; place < chances.size(); ++place) chances[place] += 1.0 / kDraws;
  }
  return chances;
}

TEST(Bend, OfManyKHasTheChancesThatPairsOfThemGive) {
  const Study study = drifting_study(60, 20);
  const SampleGroups groups = group_runs(study);
  const EfficiencyCurve curve = curve_of(scaling_table(study).value(), groups);
  const JointErrors joint = joint_errors(curve).value();
  JointDraws paired(joint.errors, joint.correlations, 1);
  CommonCauses common = common_causes(curve, joint.errors);
  CommonCauseDraws caused(joint.errors, common.loadings, common.causes, 1);
  const auto by_pairs = chances_of(curve, 0.6, [&] {
    const auto errors = paired.next();
    return std::vector<double>(errors.begin(), errors.end());
  });
  const auto by_causes = chances_of(curve, 0.6, [&] {
    caused.next();
    std::vector<double> errors;
    for (std::size_t k = 0; k < joint.errors.size(); ++k) errors.push_back(caused.error(k));
    return errors;
  });
  for (std::size_t i = 0; i < by_pairs.size(); ++i) {
    EXPECT_NEAR(by_causes[i], by_pairs[i], 0.04) << "K = " << i + 1;
  }
}

TEST(Bend, OfThousandsOfKIsFoundInTheTimeOfThousandsOfRuns) {
  const BendAnswer many = bend_of(drifting_study(3000, 4), {.threshold = 0.6});
  ASSERT_TRUE(many.bend && many.resampled);
  EXPECT_LT(many.bend->low, many.bend->first_bad + 1);
}

}  // namespace
}  // namespace kstar
