#include "base/words.h"

#include <gtest/gtest.h>

#include "base/duration.h"

namespace kstar {
namespace {

using Words = std::vector<std::string>;

TEST(Words, AreTakenApartAsAShellWould) {
  EXPECT_EQ(*split_words("a  b\tc\n", ""), (Words{"a", "b", "c"}));
  EXPECT_EQ(*split_words(R"(a 'b c' "d \"e\" \n" f\ g '' h'i'"j")", ""),
            (Words{"a", "b c", "d \"e\" \\n", "f g", "", "hij"}));
  EXPECT_TRUE(split_words("  ", "")->empty());
  for (const char* bad : {"'a", "\"a", "\"a\\\"", "a\\"}) {
    EXPECT_EQ(split_words(bad, "--x").error().where, "--x") << bad;
  }
}

TEST(Words, JoinedComeApartAgain) {
  const Words words = {"./prog", "a b", "", "it's", "\"", "\\", "$HOME", "{K}", "x=1", "\n", "*"};
  EXPECT_EQ(*split_words(join_words(words), ""), words);
  EXPECT_EQ(join_words(Words{"./prog", "--t={K}", "a b"}), "./prog --t={K} 'a b'");
}

TEST(Duration, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("1.5m"), 90);
  EXPECT_EQ(parse_duration("2h"), 7200);
  EXPECT_EQ(parse_duration("1d"), 86400);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
  EXPECT_EQ(parse_duration("1e3s"), 1000);
  for (const char* bad : {"", "s", "-1s", "5x", "1 h", "nan", "infs", "1e999", "1h30m", "0x5s"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Duration, ReadsBackWhatItWrites) {
  for (const double seconds :
       {0.0, 0.1, 1.0, 59.0, 60.0, 90.0, 90.25, 3600.0, 5400.0, 1e15, 1e20}) {
    EXPECT_EQ(parse_duration(duration_text(seconds)), seconds) << duration_text(seconds);
  }
  EXPECT_EQ(duration_text(7200), "2h");
  EXPECT_EQ(duration_text(300), "5m");
  EXPECT_EQ(duration_text(90), "90s");
}

}  // namespace
}  // namespace kstar
