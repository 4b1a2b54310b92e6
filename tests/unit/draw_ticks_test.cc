#include "draw/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kstar {
namespace {

ChartAxis axis(double low, double high, bool log) {
  return {.label = "", .log = log, .low = low, .high = high};
}

std::string labels(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(Ticks, AreNeverNoneAndNeverBesideTheAxis) {
  struct Range {
    double low, high;
  };
  const std::vector<Range> ranges = {
      {0, 1}, {0.001, 0.01}, {1, 1},     {1, 100000},      {1, 1e12}, {3, 3.5}, {0.6, 0.9},
      {0, 0}, {-5, 5},       {0.001, 1}, {1e16, 1e16 + 2}, {1, 2},    {7, 13},  {1e-300, 1e300}};
  for (const Range& range : ranges) {
    for (const bool log : {false, true}) {
      for (const int wanted : {0, 1, 2, 6, 14}) {
        SCOPED_TRACE(testing::Message()
                     << range.low << ".." << range.high << " log " << log << " wanted " << wanted);
        const std::vector<Tick> ticks = ticks_of(axis(range.low, range.high, log), wanted);
        ASSERT_FALSE(ticks.empty());
        EXPECT_LE(ticks.size(), static_cast<std::size_t>(2 * wanted + 3));
        for (const Tick& tick : ticks) {
          EXPECT_GE(tick.value, range.low);
          EXPECT_LE(tick.value, range.high);
          EXPECT_FALSE(tick.label.empty());
        }
      }
    }
  }
}

TEST(Ticks, OfALinearAxisAreOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_EQ(labels(ticks_of(axis(0, 1, false), 5)), "0 0.2 0.4 0.6 0.8 1");
  EXPECT_EQ(labels(ticks_of(axis(0, 12, false), 6)), "0 2 4 6 8 10 12");
  EXPECT_EQ(labels(ticks_of(axis(1, 32, false), 7)), "5 10 15 20 25 30");
  EXPECT_EQ(labels(ticks_of(axis(0.001, 0.01, false), 6)), "0.002 0.004 0.006 0.008 0.01");
  EXPECT_EQ(labels(ticks_of(axis(1, 100000, false), 5)), "20k 40k 60k 80k 100k");
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTwoAndOfTenBeyondFourDecades) {
  EXPECT_EQ(labels(ticks_of(axis(1, 512, true), 10)), "1 2 4 8 16 32 64 128 256 512");
  EXPECT_EQ(labels(ticks_of(axis(1, 512, true), 5)), "1 4 16 64 256");
  EXPECT_EQ(labels(ticks_of(axis(1, 100000, true), 6)), "1 10 100 1000 10k 100k");
  EXPECT_EQ(labels(ticks_of(axis(1, 1e12, true), 5)), "1 1000 1M 1G 1e+12");
}

TEST(Ticks, OfALogarithmicAxisBetweenTwoPowersAreLinear) {
  EXPECT_EQ(labels(ticks_of(axis(5, 7, true), 4)), "5 5.5 6 6.5 7");
}

TEST(Ticks, OfOneValueAreThatValue) {
  EXPECT_EQ(labels(ticks_of(axis(3, 3, false), 6)), "3");
  EXPECT_EQ(labels(ticks_of(axis(3, 3, true), 6)), "3");
}

TEST(Ticks, HaveLabelsThatCanBeToldApart) {
  for (const bool log : {false, true}) {
    for (const double high : {0.01, 1.0, 100.0, 1e5, 1e12}) {
      const std::vector<Tick> ticks = ticks_of(axis(high / 1000, high, log), 6);
      std::set<std::string> seen;
      for (const Tick& tick : ticks) EXPECT_TRUE(seen.insert(tick.label).second) << tick.label;
    }
  }
}

TEST(PositionOn, IsZeroAndOneAtTheEndsAndBeyondThemOutside) {
  for (const bool log : {false, true}) {
    const ChartAxis a = axis(2, 32, log);
    EXPECT_DOUBLE_EQ(position_on(a, 2), 0);
    EXPECT_DOUBLE_EQ(position_on(a, 32), 1);
    EXPECT_LT(position_on(a, 1), 0);
    EXPECT_GT(position_on(a, 33), 1);
  }
  EXPECT_DOUBLE_EQ(position_on(axis(2, 32, true), 8), 0.5);
  EXPECT_DOUBLE_EQ(position_on(axis(2, 32, false), 17), 0.5);
}

TEST(PositionOn, AnAxisOfOneValueHasItInTheMiddle) {
  for (const bool log : {false, true}) {
    EXPECT_EQ(position_on(axis(1, 1, log), 1), 0.5);
    EXPECT_LT(position_on(axis(1, 1, log), 0.5), 0);
    EXPECT_GT(position_on(axis(1, 1, log), 2), 1);
  }
}

TEST(PositionOn, ALogarithmicAxisHasNoPlaceForZero) {
  EXPECT_FALSE(position_on(axis(1, 8, true), 0) >= 0);
  EXPECT_FALSE(position_on(axis(1, 8, true), -1) >= 0);
}

}  // namespace
}  // namespace kstar
