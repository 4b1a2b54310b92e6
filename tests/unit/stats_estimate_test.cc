#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kstar/stats.h"
#include "support/numbers.h"

namespace kstar {
namespace {

constexpr Estimate kSpeedup = {.point = 4,
                               .standard_error = 0.5,
                               .low = 3,
                               .high = 5,
                               .confidence = 0.95,
                               .n = 5,
                               .method = IntervalMethod::kWelchLog,
                               .scope = Scope::kSeveralSessions};

TEST(IntervalMethod, NamesAreReadBackAsTheSameMethod) {
  for (int i = 0; i <= static_cast<int>(IntervalMethod::kBootstrap); ++i) {
    const auto method = static_cast<IntervalMethod>(i);
    EXPECT_EQ(parse_interval_method(to_string(method)).value(), method) << i;
  }
  EXPECT_EQ(parse_interval_method("student").value(), IntervalMethod::kStudentT);
  EXPECT_EQ(parse_interval_method("gauss").error().where, "interval method");
  EXPECT_NE(to_string(Scope::kOneSession), to_string(Scope::kSeveralSessions));
}

TEST(Scaled, ScalesEverythingAndKeepsTheEndsInOrder) {
  const Estimate efficiency = scaled(kSpeedup, 1.0 / 8);
  EXPECT_EQ(efficiency.point, 0.5);
  EXPECT_EQ(efficiency.standard_error, 0.0625);
  EXPECT_EQ(efficiency.low, 0.375);
  EXPECT_EQ(efficiency.high, 0.625);
  EXPECT_EQ(efficiency.scope, Scope::kSeveralSessions);
  const Estimate negative = scaled(kSpeedup, -1);
  EXPECT_EQ(negative.low, -5);
  EXPECT_EQ(negative.high, -3);
  EXPECT_EQ(negative.standard_error, 0.5);
}

TEST(KarpFlatt, IsTheSerialFractionOfAmdahlsLaw) {
  for (const double serial : {0.0, 0.05, 0.3, 1.0}) {
    for (const double workers : {2.0, 8.0, 512.0}) {
      const double speedup = 1 / (serial + (1 - serial) / workers);
      EXPECT_NEAR(karp_flatt(speedup, workers).value(), serial, 1e-14);
    }
  }
}

TEST(KarpFlatt, ClampsNothing) {
  EXPECT_LT(karp_flatt(9, 8).value(), 0);    // superlinear
  EXPECT_GT(karp_flatt(0.5, 8).value(), 1);  // slower than one worker
}

TEST(KarpFlatt, MapsTheEndsOfTheSpeedupCrosswise) {
  const Estimate serial = karp_flatt(kSpeedup, 8).value();
  EXPECT_DOUBLE_EQ(serial.point, karp_flatt(4, 8).value());
  EXPECT_DOUBLE_EQ(serial.low, karp_flatt(5, 8).value());
  EXPECT_DOUBLE_EQ(serial.high, karp_flatt(3, 8).value());
  EXPECT_DOUBLE_EQ(serial.standard_error, 0.5 / (16 * (1 - 1.0 / 8)));
  EXPECT_EQ(serial.method, IntervalMethod::kWelchLog);
  EXPECT_EQ(serial.n, 5U);
}

TEST(KarpFlatt, KeepsOpenWhatTheSpeedupLeavesOpen) {
  Estimate speedup = kSpeedup;
  speedup.low = -1;
  EXPECT_EQ(karp_flatt(speedup, 8).value().high, kInfinity);
  speedup.low = -kInfinity;
  speedup.high = kInfinity;
  const Estimate serial = karp_flatt(speedup, 8).value();
  EXPECT_EQ(serial.low, -kInfinity);
  EXPECT_EQ(serial.high, kInfinity);
}

TEST(KarpFlatt, HasNoAnswerForOneWorkerOrNoSpeedup) {
  for (const double workers : {1.0, 0.0, -2.0, kInfinity, std::nan("")}) {
    EXPECT_EQ(karp_flatt(2, workers).error().where, "workers") << workers;
    EXPECT_EQ(karp_flatt(kSpeedup, workers).error().where, "workers") << workers;
  }
  for (const double speedup : {0.0, -1.0, kInfinity, std::nan("")}) {
    EXPECT_EQ(karp_flatt(speedup, 8).error().where, "speedup") << speedup;
  }
}

TEST(Autocorrelation, IsOneWithItself) {
  EXPECT_EQ(autocorrelation(std::vector<double>{1, 5, 2}, 0).value(), 1);
}

TEST(Autocorrelation, RefusesWhatHasNone) {
  EXPECT_EQ(autocorrelation(std::vector<double>{1, 2, 3}, 3).error().where, "lag");
  EXPECT_EQ(autocorrelation(std::vector<double>{2, 2, 2}).error().where, "samples");
  EXPECT_EQ(autocorrelation({}).error().where, "samples");
}

TEST(EffectiveSampleSize, StaysBetweenOneAndTheNumberOfSamples) {
  std::vector<double> drift, alternating;
  for (int i = 0; i < 6000; ++i) {
    drift.push_back(i);
    alternating.push_back(i % 2);
    if (i == 0) continue;
    if (i > 40 && i < 5999) continue;
    const double few = effective_sample_size(drift).value();
    EXPECT_GE(few, 1) << i;
    EXPECT_LE(few, static_cast<double>(drift.size())) << i;
    // Alternation makes the mean better than independent samples would; that is not believed.
    EXPECT_EQ(effective_sample_size(alternating).value(), static_cast<double>(alternating.size()));
  }
  EXPECT_LT(effective_sample_size(drift).value(), 10);
  EXPECT_EQ(effective_sample_size(std::vector<double>(9, 1.5)).value(), 9);
  EXPECT_FALSE(effective_sample_size({}).has_value());
}

}  // namespace
}  // namespace kstar
