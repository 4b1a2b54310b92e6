// Do the intervals hold what they promise? Seeded, so that the answer is the same each time; the
// bounds are at least three Monte-Carlo standard errors away. bench_coverage has the whole table.
#include <gtest/gtest.h>

#include "support/coverage.h"

namespace kstar::coverage {
namespace {

constexpr std::size_t kSizes[] = {3, 5, 10, 30};

double share(IntervalMethod method, Noise noise, std::size_t n, std::size_t replications = 10000) {
  return simulate(
             {.method = method, .noise = noise, .n = n, .replications = replications, .seed = 20})
      .share;
}

TEST(Coverage, StudentTHoldsWhatItPromisesAtEveryN) {
  for (const std::size_t n : kSizes) {
    const double found = share(IntervalMethod::kStudentT, Noise::kNormal, n);
    EXPECT_GT(found, 0.94) << n;
    EXPECT_LT(found, 0.96) << n;
  }
}

TEST(Coverage, NormalIntervalsAreTooNarrowForFewSamples) {
  const double three = share(IntervalMethod::kNormal, Noise::kNormal, 3);
  EXPECT_GT(three, 0.79);
  EXPECT_LT(three, 0.83);
  EXPECT_GT(share(IntervalMethod::kNormal, Noise::kNormal, 30), 0.93);
}

TEST(Coverage, WelchAndFiellerHoldAtEveryN) {
  for (const std::size_t n : kSizes) {
    for (const auto method : {IntervalMethod::kWelchLog, IntervalMethod::kFieller}) {
      const double found = share(method, Noise::kNormal, n, 5000);
      EXPECT_GE(found, 0.94) << to_string(method) << " " << n;
      EXPECT_LE(found, 0.975) << to_string(method) << " " << n;
    }
  }
}

TEST(Coverage, WelchAndFiellerSurviveSkewedNoise) {
  for (const auto method : {IntervalMethod::kWelchLog, IntervalMethod::kFieller}) {
    for (const std::size_t n : kSizes) {
      EXPECT_GE(share(method, Noise::kLognormal, n, 4000), 0.93) << to_string(method) << " " << n;
    }
  }
}

TEST(Coverage, PairsHoldWhereBlocksShareTheirNoise) {
  for (const std::size_t n : kSizes) {
    const double found = share(IntervalMethod::kPaired, Noise::kBlocks, n);
    EXPECT_GT(found, 0.94) << n;
    EXPECT_LT(found, 0.96) << n;
  }
}

TEST(Coverage, PairsOfCorrelatedBlocksHoldWhatPlainPairsLose) {
  for (const std::size_t n : kSizes) {
    EXPECT_LT(share(IntervalMethod::kPaired, Noise::kStronglyCorrelated, n, 5000), 0.89) << n;
    EXPECT_GT(share(IntervalMethod::kPairedEffective, Noise::kCorrelated, n, 5000), 0.935) << n;
    EXPECT_GT(share(IntervalMethod::kPairedEffective, Noise::kStronglyCorrelated, n, 5000), 0.9)
        << n;
    EXPECT_GT(share(IntervalMethod::kPairedEffective, Noise::kBlocks, n, 5000), 0.95) << n;
  }
}

TEST(Coverage, BlocksInRandomOrderCancelTheCorrelationOfNeighbours) {
  for (const std::size_t n : kSizes) {
    const double found = share(IntervalMethod::kPaired, Noise::kInterleaved, n);
    EXPECT_GT(found, 0.94) << n;
    EXPECT_LT(found, 0.96) << n;
  }
}

TEST(Coverage, APercentileBootstrapOfThreeSamplesIsFarTooNarrow) {
  const double three = share(IntervalMethod::kBootstrap, Noise::kNormal, 3, 2000);
  EXPECT_GT(three, 0.74);
  EXPECT_LT(three, 0.86);
}

TEST(Coverage, TheEffectiveSampleSizeWinsBackMostOfWhatCorrelationTakes) {
  for (const std::size_t n : kSizes) {
    EXPECT_LT(share(IntervalMethod::kStudentT, Noise::kCorrelated, n, 5000), 0.93) << n;
    EXPECT_GT(share(IntervalMethod::kEffectiveSample, Noise::kCorrelated, n, 5000), 0.91) << n;
    EXPECT_GT(share(IntervalMethod::kWelchLogEffective, Noise::kCorrelated, n, 5000), 0.92) << n;
    EXPECT_GT(share(IntervalMethod::kEffectiveSample, Noise::kNormal, n, 5000), 0.95) << n;
  }
}

TEST(Coverage, TheMedianHoldsTheConfidenceItStatesWhateverTheDistribution) {
  // Its own confidence with 3, 5, 10 and 30 samples, from the binomial distribution.
  constexpr double kStated[] = {0.75, 0.9375, 0.978515625, 0.957226};
  for (const Noise noise : {Noise::kNormal, Noise::kLognormal}) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(share(IntervalMethod::kOrderStatistic, noise, kSizes[i], 5000), kStated[i], 0.02);
    }
  }
}

TEST(Coverage, IsTheSameForTheSameSeed) {
  const Experiment experiment = {.method = IntervalMethod::kWelchLog, .n = 5, .replications = 500};
  EXPECT_EQ(simulate(experiment).share, simulate(experiment).share);
}

}  // namespace
}  // namespace kstar::coverage
