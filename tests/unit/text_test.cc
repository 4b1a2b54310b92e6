#include "base/text.h"

#include <gtest/gtest.h>

#include "kstar/result.h"

namespace kstar {
namespace {

TEST(Printable, LetsNoTerminalCommandThrough) {
  EXPECT_EQ(printable("\x1b[2Jx"), "\\x1b[2Jx");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one C1 character
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "evil"),
            "\\xe2\\x80\\xaeevil");  // right-to-left override
}

TEST(Printable, EscapesBytesThatAreNotUtf8AndKeepsThoseThatAre) {
  EXPECT_EQ(printable("K\xC3\xB6ln \xE2\x82\xAC"), "K\xC3\xB6ln \xE2\x82\xAC");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");  // an overlong slash
}

TEST(Shorten, CutsAtColumnsAndNotInsideACharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abc...");
  EXPECT_EQ(shorten("\xC3\xB6\xC3\xB6\xC3\xB6\xC3\xB6\xC3\xB6", 4), "\xC3\xB6...");
}

TEST(Wrap, KeepsLinesWithinTheColumnsAndLongWordsWhole) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("incomprehensible a", 5), (std::vector<std::string>{"incomprehensible", "a"}));
}

TEST(DidYouMean, FindsTheNearWordAndStaysSilentOtherwise) {
  const std::vector<std::string> words = {"amdahl", "gustafson", "efficiency"};
  EXPECT_EQ(did_you_mean("amdhal", words), "amdahl");
  EXPECT_EQ(did_you_mean("gustavson", words), "gustafson");
  EXPECT_EQ(did_you_mean("eff", words), "efficiency");
  EXPECT_EQ(did_you_mean("roofline", words), "");
}

TEST(Expected, NamesPlaceConstraintAndValueWithoutPassingControlCharactersOn) {
  const Error error = expected("--serial", "a number from 0 to 1", "\x1b[31m2");
  EXPECT_EQ(error.where, "--serial");
  EXPECT_EQ(error.message, "expected a number from 0 to 1, got '\\x1b[31m2'");
}

}  // namespace
}  // namespace kstar
