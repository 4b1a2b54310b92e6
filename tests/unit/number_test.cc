#include "base/number.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace kstar {
namespace {

TEST(ParseDouble, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_double("0.05"), 0.05);
  EXPECT_EQ(parse_double("+1e3"), 1000.0);
  EXPECT_EQ(parse_double("-2"), -2.0);
  for (const char* bad : {"", " 1", "1 ", "1,5", "0x10", "1e", "abc", "1.2.3", "--1", "+-1"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
  }
}

TEST(ParseDouble, RefusesWhatIsNotAFiniteNumber) {
  for (const char* bad : {"nan", "NaN", "inf", "-inf", "infinity", "1e400", "-1e400"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
  }
}

TEST(ParseDouble, IsTheNearestDoubleOfShortDecimalsToo) {
  // Of every number of digits, the point at every place: what the C library makes of it.
  for (std::size_t digits = 1; digits <= 18; ++digits) {
    for (std::size_t point = 0; point <= digits; ++point) {
      std::string text = std::string("987654321987654321").substr(18 - digits);
      text.insert(point, ".");
      EXPECT_EQ(parse_double(text), std::strtod(text.c_str(), nullptr)) << text;
    }
  }
}

TEST(ParseInteger, RefusesFractionsAndOverflow) {
  EXPECT_EQ(parse_integer("512"), 512);
  for (const char* bad : {"1.5", "1e3", "99999999999999999999", "", "K"}) {
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
  }
}

TEST(Numbers, KeepTheDecimalPointInALocaleWithACommaSeparator) {
  // Where no such locale is installed setlocale returns null and "C" stays, which must hold too.
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse_double("0.5"), 0.5);
  EXPECT_EQ(fixed(0.5, 2), "0.50");
  EXPECT_EQ(shortest(0.1), "0.1");
  std::setlocale(LC_ALL, "C");
}

TEST(Shortest, ReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 123456789.123, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(parse_double(shortest(value)), value);
  }
}

TEST(Fixed, RoundsTheBinaryValueAndNeverPrintsMinusZero) {
  EXPECT_EQ(fixed(0.16875, 4), "0.1688");
  EXPECT_EQ(fixed(0.125, 2), "0.12");
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.01, 2), "-0.01");
}

TEST(Significant, KeepsTheDigitsThatMatterAndDropsEmptyZeros) {
  EXPECT_EQ(significant(19.2844, 3), "19.3");
  EXPECT_EQ(significant(20.0, 3), "20");
  EXPECT_EQ(significant(123456, 3), "123456");
  EXPECT_EQ(significant(0.00123456, 3), "0.00123");
  EXPECT_EQ(significant(1.5e-7, 3), "1.5e-07");
  EXPECT_EQ(significant(0, 3), "0");
}

TEST(WrittenDigits, TheStepIsThatOfTheMostDigits) {
  WrittenDigits seconds, tenths, significant;
  for (const double value : {100.0, 52.0, 8.0}) seconds.see(value);
  for (const double value : {10.1, 5.2, 0.8}) tenths.see(value);
  for (const double value : {1230.0, 0.00456}) significant.see(value);
  EXPECT_DOUBLE_EQ(seconds.step(8), 1);
  EXPECT_DOUBLE_EQ(tenths.step(10), 0.1);
  EXPECT_DOUBLE_EQ(significant.step(1230), 1) << "1230 has all of its digits before the point";
  EXPECT_DOUBLE_EQ(significant.step(0.00456), 0.00001);
}

}  // namespace
}  // namespace kstar
