#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kstar/stats.h"
#include "support/numbers.h"

namespace kstar {
namespace {

using Samples = std::vector<double>;
const Samples kOne = {10.1, 9.8, 10.4, 10.0};
const Samples kFour = {2.6, 2.4, 2.9, 2.5};
constexpr IntervalMethod kMethods[] = {
    IntervalMethod::kWelchLog, IntervalMethod::kWelchLogEffective, IntervalMethod::kFieller,
    IntervalMethod::kPaired,   IntervalMethod::kPairedEffective,   IntervalMethod::kBootstrap};

TEST(EstimateRatio, IsTheRatioOfTheMeansByEveryMethod) {
  for (const IntervalMethod method : kMethods) {
    const Estimate ratio =
        estimate_ratio(kOne, kFour, {.method = method, .scope = Scope::kSeveralSessions}).value();
    EXPECT_DOUBLE_EQ(ratio.point, 40.3 / 10.4) << to_string(method);
    EXPECT_LT(ratio.low, ratio.point) << to_string(method);
    EXPECT_GT(ratio.high, ratio.point) << to_string(method);
    EXPECT_GT(ratio.standard_error, 0) << to_string(method);
    EXPECT_EQ(ratio.n, 4U);
    EXPECT_EQ(ratio.method, method);
    EXPECT_EQ(ratio.scope, Scope::kSeveralSessions);
  }
}

TEST(EstimateRatio, GivesOneSampleNoInterval) {
  for (const IntervalMethod method : kMethods) {
    const bool pairs =
        method == IntervalMethod::kPaired || method == IntervalMethod::kPairedEffective;
    const Samples other = pairs ? Samples{10} : kOne;
    const Estimate ratio = estimate_ratio(other, Samples{2.5}, {.method = method}).value();
    EXPECT_EQ(ratio.method, IntervalMethod::kNone) << to_string(method);
    EXPECT_EQ(ratio.low, -kInfinity);
    EXPECT_EQ(ratio.high, kInfinity);
    EXPECT_TRUE(std::isnan(ratio.standard_error));
  }
}

TEST(EstimateRatio, TurnsOverWithItsSidesOnLogarithms) {
  for (const IntervalMethod method : {IntervalMethod::kWelchLog, IntervalMethod::kPaired}) {
    const Estimate ratio = estimate_ratio(kOne, kFour, {.method = method}).value();
    const Estimate turned = estimate_ratio(kFour, kOne, {.method = method}).value();
    EXPECT_NEAR(ratio.low * turned.high, 1, 1e-13);
    EXPECT_NEAR(ratio.high * turned.low, 1, 1e-13);
  }
}

TEST(EstimateRatio, IsExactWithoutScatter) {
  for (const IntervalMethod method : kMethods) {
    const Estimate ratio =
        estimate_ratio(Samples{8, 8, 8}, Samples{2, 2, 2}, {.method = method}).value();
    EXPECT_EQ(ratio.low, 4) << to_string(method);
    EXPECT_EQ(ratio.high, 4) << to_string(method);
  }
}

TEST(EstimateRatio, DoesNotDependOnTheUnits) {
  Samples one = kOne, four = kFour;
  for (double& sample : one) sample *= 1e90;
  for (double& sample : four) sample *= 1e-90;
  for (const IntervalMethod method : kMethods) {
    const Estimate plain = estimate_ratio(kOne, kFour, {.method = method}).value();
    const Estimate large = estimate_ratio(one, four, {.method = method}).value();
    EXPECT_NEAR(large.low / 1e180, plain.low, 1e-12) << to_string(method);
    EXPECT_NEAR(large.high / 1e180, plain.high, 1e-12) << to_string(method);
  }
}

TEST(FiellerRatio, HasNoBoundWhenTheDenominatorMayBeZero) {
  const Estimate ratio =
      estimate_ratio(Samples{5, 6, 7}, Samples{-1, 3, 1}, {.method = IntervalMethod::kFieller})
          .value();
  EXPECT_EQ(ratio.point, 6);
  EXPECT_EQ(ratio.low, -kInfinity);
  EXPECT_EQ(ratio.high, kInfinity);
  EXPECT_EQ(ratio.method, IntervalMethod::kFieller);  // there is a set; it has no ends
}

TEST(FiellerRatio, TakesNegativeMeans) {
  const RatioOptions fieller = {.method = IntervalMethod::kFieller};
  const Estimate plus = estimate_ratio(kOne, kFour, fieller).value();
  Samples minus_four = kFour;
  for (double& sample : minus_four) sample = -sample;
  const Estimate minus = estimate_ratio(kOne, minus_four, fieller).value();
  EXPECT_DOUBLE_EQ(minus.low, -plus.high);
  EXPECT_DOUBLE_EQ(minus.high, -plus.low);
}

TEST(FiellerRatio, AgreesWithWelchWhereNoiseIsSmall) {
  const Samples a = {10.01, 10.02, 9.99, 10.00}, b = {2.501, 2.499, 2.502, 2.5};
  const Estimate fieller = estimate_ratio(a, b, {.method = IntervalMethod::kFieller}).value();
  const Estimate welch = estimate_ratio(a, b).value();
  EXPECT_NEAR(fieller.low, welch.low, 1e-5);
  EXPECT_NEAR(fieller.high, welch.high, 1e-5);
}

TEST(PairedRatio, IsNotDisturbedByWhatABlockShares) {
  // Every block is slower than the last, both sides alike.
  const Samples one = {10, 12.1, 14.3, 16}, four = {2.5, 3, 3.6, 4};
  const Estimate paired = estimate_ratio(one, four, {.method = IntervalMethod::kPaired}).value();
  const Estimate welch = estimate_ratio(one, four).value();
  EXPECT_LT(paired.high - paired.low, (welch.high - welch.low) / 10);
  const Estimate correlated =
      estimate_ratio(one, four, {.method = IntervalMethod::kPairedEffective}).value();
  EXPECT_EQ(correlated.point, paired.point);
  EXPECT_GT(correlated.high - correlated.low, paired.high - paired.low);
  EXPECT_LT(correlated.high - correlated.low, (welch.high - welch.low) / 4);
}

TEST(BootstrapRatio, RepeatsItselfWithItsSeedAndOnlyWithIt) {
  const RatioOptions options = {.method = IntervalMethod::kBootstrap, .seed = 7};
  RatioOptions other = options;
  other.seed = 8;
  const Estimate first = estimate_ratio(kOne, kFour, options).value();
  EXPECT_EQ(first.low, estimate_ratio(kOne, kFour, options).value().low);
  EXPECT_NE(first.standard_error, estimate_ratio(kOne, kFour, other).value().standard_error);
}

std::string where(const Samples& a, const Samples& b, const RatioOptions& options = {}) {
  return estimate_ratio(a, b, options).error().where;
}

TEST(EstimateRatio, RefusesWrongInputInWords) {
  EXPECT_EQ(where({}, kFour), "numerator");
  EXPECT_EQ(where(kOne, {}), "denominator");
  EXPECT_EQ(where(kOne, {1, std::nan("")}), "denominator");
  EXPECT_EQ(where(kOne, kFour, {.confidence = 1}), "confidence");
  EXPECT_EQ(where({-1, -2}, kFour), "numerator");
  EXPECT_EQ(where(kOne, {1, -1}), "denominator");
  EXPECT_EQ(where(kOne, {1, -1}, {.method = IntervalMethod::kFieller}), "denominator");
  EXPECT_EQ(where(kOne, {1, -1, 5}, {.method = IntervalMethod::kBootstrap}), "denominator");
  EXPECT_EQ(where(kOne, kFour, {.method = IntervalMethod::kBootstrap, .resamples = 0}),
            "resamples");
  EXPECT_EQ(where(kOne, kFour, {.method = IntervalMethod::kStudentT}), "method");
}

TEST(PairedRatio, RefusesBlocksThatAreNotComplete) {
  const Error error =
      estimate_ratio(kOne, Samples{2, 3}, {.method = IntervalMethod::kPaired}).error();
  EXPECT_EQ(error.where, "denominator");
  EXPECT_EQ(error.message, "expected 4 samples, one per block, got '2'");
}

}  // namespace
}  // namespace kstar
