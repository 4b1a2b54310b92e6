#include "cli/measure/progress_line.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"

namespace kstar {
namespace {

ProgressState half_way() {
  return {.point = "K=16", .run = 7, .time = 1.234, .interval = 0.021, .share = 0.5, .left = 119};
}

TerminalStyle plain(int width) {
  return {.width = width, .color = false, .unicode = false};
}

TEST(ProgressLine, AWideScreenHasTheBarAndEveryWord) {
  EXPECT_EQ(progress_line(half_way(), plain(119)),
            "[####################....................]  50%  about 2 min left  K=16 run 7  "
            "T = 1.23 s +-2.1%");
}

TEST(ProgressLine, ANarrowScreenKeepsTheBarTheTimeLeftAndTheInterval) {
  EXPECT_EQ(progress_line(half_way(), plain(39)), "[##...]  50%  2 min  K=16 1.23 s +-2.1%");
}

TEST(ProgressLine, NoWidthIsEverPassed) {
  ProgressState state = half_way();
  for (const char* point : {"K=1", "K=1000000000", "baseline"}) {
    state.point = point;
    for (const double time : {1.2345e-7, 0.0123, 12.3, 12345.0}) {
      state.time = time;
      for (int width = 4; width <= 200; ++width) {
        const std::string line = progress_line(state, plain(width));
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

TEST(ProgressLine, TheBarKeepsItsSizeWhileTheWordsChange) {
  for (const int width : {39, 79, 119}) {
    ProgressState state = half_way();
    const std::size_t end = progress_line(state, plain(width)).find(']');
    state.interval.reset();
    state.left = 5;
    state.share = 0.99;
    EXPECT_EQ(progress_line(state, plain(width)).find(']'), end) << width;
  }
}

TEST(ProgressLine, WhatIsNotKnownIsNotShown) {
  const ProgressState first{.point = "K=1"};
  const std::string line = progress_line(first, plain(79));
  EXPECT_EQ(line, "[....................]   0%  K=1 run 1");
  ProgressState once = first;
  once.time = 2;
  once.interval = std::numeric_limits<double>::infinity();
  EXPECT_EQ(time_and_interval(once, false), "2 s");
}

TEST(ProgressLine, ColourAndUnicodeOnlyWhereTheScreenHasThem) {
  const std::string fine = progress_line(half_way(), {.width = 79, .color = true, .unicode = true});
  EXPECT_NE(fine.find("\x1b[32m█"), std::string::npos);
  EXPECT_NE(fine.find("±2.1%"), std::string::npos);
  const std::string bare = progress_line(half_way(), plain(79));
  EXPECT_EQ(bare.find('\x1b'), std::string::npos);
  for (const char c : bare) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(ProgressLine, MeasuredTimesHaveAUnitThatSuitsThem) {
  EXPECT_EQ(measured_text(0.0000123), "12.3 us");
  EXPECT_EQ(measured_text(0.0123), "12.3 ms");
  EXPECT_EQ(measured_text(12.34), "12.3 s");
  EXPECT_EQ(measured_text(150), "2.5 min");
  EXPECT_EQ(measured_text(9000), "2.5 h");
}

}  // namespace
}  // namespace kstar
