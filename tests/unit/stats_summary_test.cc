#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kstar/stats.h"
#include "stats/moments.h"
#include "support/numbers.h"

namespace kstar {
namespace {

using Samples = std::vector<double>;

TEST(Summarize, DescribesSamplesInAnyOrder) {
  const Summary summary = summarize(Samples{4, 1, 3, 2}).value();
  EXPECT_EQ(summary.n, 4U);
  EXPECT_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.standard_deviation, std::sqrt(5.0 / 3));
  EXPECT_EQ(summary.median, 2.5);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 4);
  EXPECT_EQ(summarize(Samples{9, 1, 5}).value().median, 5);
}

TEST(Summarize, KnowsNoDeviationOfOneSample) {
  const Summary summary = summarize(Samples{7}).value();
  EXPECT_EQ(summary.mean, 7);
  EXPECT_EQ(summary.median, 7);
  EXPECT_TRUE(std::isnan(summary.standard_deviation));
}

TEST(Summarize, SeesNoDeviationAmongEqualSamples) {
  EXPECT_EQ(summarize(Samples(1000, 0.1)).value().standard_deviation, 0);
}

TEST(Summarize, KeepsSmallDifferencesBetweenLargeNumbers) {
  const Summary summary = summarize(Samples{1e15 + 1, 1e15 + 2, 1e15 + 3}).value();
  EXPECT_EQ(summary.mean, 1e15 + 2);
  EXPECT_EQ(summary.standard_deviation, 1);
}

TEST(Summarize, RefusesWhatIsNoSample) {
  EXPECT_EQ(summarize({}).error().message, "expected at least one sample, got 'none'");
  EXPECT_EQ(summarize({}).error().where, "samples");
  for (const double bad : {kNaN, kInfinity, -kInfinity, 1e200}) {
    EXPECT_FALSE(summarize(Samples{1, bad, 2}).has_value()) << bad;
  }
}

TEST(Sum, KeepsWhatPlainAdditionDrops) {
  stats::Sum sum;
  for (const double value : {1.0, 1e100, 1.0, -1e100}) sum.add(value);
  EXPECT_EQ(sum.value(), 2);
}

}  // namespace
}  // namespace kstar
