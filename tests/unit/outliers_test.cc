#include "kstar/outliers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace kstar {
namespace {

using Samples = std::vector<double>;
const double kNaN = std::numeric_limits<double>::quiet_NaN();
const Samples kOneSlow = {1.00, 1.01, 0.99, 1.02, 0.98, 1.60, 1.00, 1.01, 0.99, 1.00};

TEST(Outliers, AreMarkedInOneNormalSeriesOfTwenty) {
  Random random(3);
  for (const std::size_t n : {4U, 5U, 7U, 10U, 11U, 20U, 25U, 40U, 100U}) {
    int marked = 0;
    constexpr int kSeries = 4000;
    for (int i = 0; i < kSeries; ++i) {
      Samples samples(n);
      for (double& sample : samples) sample = 1 + 0.02 * random.normal();
      marked += find_outliers(samples).value().empty() ? 0 : 1;
    }
    EXPECT_NEAR(marked / double{kSeries}, 0.05, 0.015) << n;
  }
}

TEST(Outliers, AreFoundAmongFiveRuns) {
  const auto found = find_outliers(Samples{1.00, 1.01, 1.4, 0.99, 1.005}).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 2U);
  EXPECT_GT(found[0].z, 7.83);
  EXPECT_EQ(found[0].reason, kNoReason);
}

TEST(Outliers, DoNotHideEachOther) {
  Samples samples = kOneSlow;
  samples[0] = 1.7;
  samples[3] = 0.5;
  const auto found = find_outliers(samples).value();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_LT(found[1].z, 0);
}

// By hand: the median of these is 4, the absolute deviations have the median 1.
TEST(Outliers, MeasureDistanceInRobustDeviations) {
  const auto found = find_outliers(Samples{2, 3, 4, 5, 100, 4, 3}).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].z, 96 / 1.4826, 1e-3);
}

TEST(Outliers, ThreeRunsAreTooFew) {
  EXPECT_TRUE(std::isinf(outlier_threshold(3)));
  EXPECT_TRUE(find_outliers(Samples{1, 1, 9}).value().empty());
}

TEST(Outliers, EqualRunsHaveNone) {
  EXPECT_TRUE(find_outliers(Samples(8, 1.0)).value().empty());
}

TEST(Outliers, AreExplainedByWhatStandsOutInTheSameRun) {
  const std::vector<Covariate> record = {
      {"load average", {0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2}},
      {"involuntary context switches", {12, 14, 11, 15, 13, 812, 14, 12, 16, 13}},
      {"major faults", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}};
  const auto found = find_outliers(kOneSlow, record).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].covariate, "involuntary context switches");
  EXPECT_EQ(found[0].reason, "involuntary context switches 812, usually 13.5");
  EXPECT_GT(found[0].covariate_z, 100);
}

TEST(Outliers, AreExplainedByCountsThatAreZeroInMostRuns) {
  const std::vector<Covariate> record = {{"major faults", {0, 0, 0, 0, 0, 40, 0, 0, 0, 0}}};
  EXPECT_EQ(find_outliers(kOneSlow, record).value()[0].reason, "major faults 40, usually 0");
}

TEST(Outliers, AreNotExplainedByWhatIsTooLittleToMatter) {
  const std::vector<Covariate> record = {
      {"CPUs taken by the hypervisor", {0, 0, 0, 0, 0, 0.008, 0, 0, 0, 0}, true, 0.05},
      {"CPUs used by others", {0.1, 0.2, 0.1, 0.2, 0.1, 1.9, 0.1, 0.2, 0.1, 0.2}, true, 0.05}};
  EXPECT_EQ(find_outliers(kOneSlow, record).value()[0].covariate, "CPUs used by others");
}

TEST(Outliers, AreExplainedByCpuTimeThatIsMissing) {
  const std::vector<Covariate> record = {
      {"CPU time over wall time", {0.99, 0.98, 0.99, 0.97, 0.99, 0.61, 0.98, 0.99, 0.98, 0.99}}};
  const auto found = find_outliers(kOneSlow, record).value();
  EXPECT_EQ(found[0].covariate, "CPU time over wall time");
  EXPECT_LT(found[0].covariate_z, 0);
}

TEST(Outliers, GetNoReasonFromAnotherRunOrAnUnknownValue) {
  const std::vector<Covariate> record = {
      {"load average", {9.0, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2}},
      {"major faults", {0, 0, 0, 0, 0, kNaN, 0, 0, 0, 0}}};
  const auto found = find_outliers(kOneSlow, record).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, kNoReason);
  EXPECT_TRUE(found[0].covariate.empty());
}

TEST(Outliers, RefuseARecordOfAnotherLength) {
  const std::vector<Covariate> record = {{"load average", {1, 2}}};
  EXPECT_EQ(find_outliers(kOneSlow, record).error().where, "load average");
  EXPECT_EQ(find_outliers({}).error().where, "values");
  EXPECT_EQ(find_outliers(Samples{1, kNaN}).error().where, "values");
}

}  // namespace
}  // namespace kstar
