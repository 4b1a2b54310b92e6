#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kstar/stats.h"
#include "support/numbers.h"

namespace kstar {
namespace {

using Samples = std::vector<double>;

void expect_no_interval(const Estimate& estimate, double point) {
  EXPECT_DOUBLE_EQ(estimate.point, point);
  EXPECT_EQ(estimate.low, -kInfinity);
  EXPECT_EQ(estimate.high, kInfinity);
  EXPECT_TRUE(std::isnan(estimate.standard_error));
  EXPECT_EQ(estimate.method, IntervalMethod::kNone);
  EXPECT_EQ(estimate.n, 1U);
  EXPECT_FALSE(is_bounded(estimate));
}

TEST(EstimateMean, SaysHowItWasMade) {
  const Estimate mean =
      estimate_mean(Samples{1, 2, 3}, {.confidence = 0.9, .scope = Scope::kSeveralSessions})
          .value();
  EXPECT_EQ(mean.point, 2);
  EXPECT_DOUBLE_EQ(mean.standard_error, 1 / std::sqrt(3));
  EXPECT_EQ(mean.confidence, 0.9);
  EXPECT_EQ(mean.n, 3U);
  EXPECT_EQ(mean.method, IntervalMethod::kStudentT);
  EXPECT_EQ(mean.scope, Scope::kSeveralSessions);
  EXPECT_TRUE(is_bounded(mean));
}

TEST(EstimateMean, GivesOneSampleNoIntervalInsteadOfANarrowOne) {
  for (const auto method :
       {IntervalMethod::kStudentT, IntervalMethod::kNormal, IntervalMethod::kEffectiveSample}) {
    expect_no_interval(estimate_mean(Samples{5}, {.method = method}).value(), 5);
  }
  expect_no_interval(estimate_harmonic_mean(Samples{5}).value(), 5);
  expect_no_interval(estimate_geometric_mean(Samples{5}).value(), 5);
  expect_no_interval(estimate_median(Samples{5}).value(), 5);
}

TEST(EstimateMean, WidensWithTheConfidence) {
  const Samples samples = {1, 2, 4, 3};
  double last = 0;
  for (const double confidence : {0.5, 0.9, 0.95, 0.99, 0.999999}) {
    const Estimate mean = estimate_mean(samples, {.confidence = confidence}).value();
    EXPECT_GT(mean.high - mean.low, last);
    last = mean.high - mean.low;
  }
}

TEST(EstimateMean, IsWiderByStudentThanByTheNormalAtEveryN) {
  Samples samples = {1, 2};
  for (int i = 0; i < 50; ++i, samples.push_back(1.5 + (i % 3))) {
    const Estimate student = estimate_mean(samples).value();
    const Estimate normal = estimate_mean(samples, {.method = IntervalMethod::kNormal}).value();
    EXPECT_GT(student.high, normal.high);
    EXPECT_EQ(student.standard_error, normal.standard_error);
  }
}

TEST(EstimateMean, RefusesWrongInputInWords) {
  for (const double bad : {0.0, 1.0, -0.1, 95.0, kNaN, kInfinity}) {
    EXPECT_EQ(estimate_mean(Samples{1, 2}, {.confidence = bad}).error().where, "confidence") << bad;
    EXPECT_EQ(estimate_median(Samples{1, 2}, bad).error().where, "confidence") << bad;
  }
  EXPECT_EQ(estimate_mean(Samples{1, 2}, {.confidence = 95}).error().hint, "95% is 0.95");
  EXPECT_EQ(estimate_mean({}).error().where, "samples");
  EXPECT_EQ(estimate_median({}).error().where, "samples");
  EXPECT_FALSE(estimate_mean(Samples{1, kNaN}).has_value());
  EXPECT_FALSE(estimate_median(Samples{1, kNaN}).has_value());
  EXPECT_EQ(estimate_mean(Samples{1, 2}, {.method = IntervalMethod::kFieller}).error().message,
            "expected student_t, normal or effective_sample for a mean, got 'fieller'");
}

TEST(EstimateMedian, SaysTheConfidenceThatFewSamplesReallyHave) {
  // 1 - 2^(1-n): the chance that not all samples fall on one side.
  Samples samples;
  for (int n = 1; n <= 5; ++n) {
    samples.push_back(n);
    if (n == 1) continue;
    const Estimate median = estimate_median(samples).value();
    EXPECT_DOUBLE_EQ(median.confidence, 1 - std::pow(2, 1 - n));
    EXPECT_EQ(median.low, 1);
    EXPECT_EQ(median.high, n);
    EXPECT_EQ(median.method, IntervalMethod::kOrderStatistic);
  }
}

/// 1 - 2 P(X <= dropped), X of n throws of a fair coin, term by term.
double confidence_without(int dropped, int n) {
  double chance = std::pow(0.5, n), below = chance;
  for (int k = 1; k <= dropped; ++k) below += chance *= static_cast<double>(n - k + 1) / k;
  return 1 - 2 * below;
}

TEST(EstimateMedian, ReachesTheConfidenceFromSixSamplesOnAndDropsAllItCan) {
  Samples samples;
  for (int n = 1; n <= 200; ++n) {
    samples.push_back(n);
    if (n < 6) continue;
    const Estimate median = estimate_median(samples).value();
    const int dropped = static_cast<int>(median.low) - 1;  // the samples are 1 to n
    EXPECT_EQ(median.high, n - dropped) << n;
    EXPECT_NEAR(median.confidence, confidence_without(dropped, n), 1e-12) << n;
    EXPECT_GE(median.confidence, 0.95) << n;
    EXPECT_LT(confidence_without(dropped + 1, n), 0.95) << n;
  }
}

TEST(EstimateHarmonicMean, AveragesRatesOverEqualWork) {
  // 60 km/h there, 30 km/h back: 40 km/h, not 45.
  EXPECT_DOUBLE_EQ(estimate_harmonic_mean(Samples{60, 30}).value().point, 40);
}

TEST(EstimateHarmonicMean, HasNoUpperEndWhenTheTimesReachZero) {
  const Estimate rate = estimate_harmonic_mean(Samples{60, 30}).value();
  EXPECT_GT(rate.low, 0);
  EXPECT_EQ(rate.high, kInfinity);
}

TEST(EstimateGeometricMean, IsTheSameWhicheverSideIsTheBase) {
  const Estimate one = estimate_geometric_mean(Samples{2, 0.25, 3}).value();
  const Estimate other = estimate_geometric_mean(Samples{0.5, 4, 1.0 / 3}).value();
  EXPECT_NEAR(one.point * other.point, 1, 1e-14);
  EXPECT_NEAR(one.low * other.high, 1, 1e-12);
  EXPECT_NEAR(one.high * other.low, 1, 1e-12);
}

TEST(EstimateRatesAndRatios, RefuseWhatIsNotPositive) {
  EXPECT_EQ(estimate_harmonic_mean(Samples{1, 0}).error().where, "rates");
  EXPECT_EQ(estimate_geometric_mean(Samples{1, -2}).error().message,
            "expected numbers above zero, got '-2'");
  EXPECT_FALSE(estimate_harmonic_mean(Samples{1, 1e-320}).has_value());
}

}  // namespace
}  // namespace kstar
