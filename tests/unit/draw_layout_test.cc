// The parts that a drawing is laid out with.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "draw/clip.h"
#include "draw/look.h"
#include "draw/scale.h"
#include "draw/svg_labels.h"
#include "draw/svg_writer.h"
#include "draw/text_metrics.h"
#include "support/sample_charts.h"

namespace kstar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(TextWidth, IsTheSumOfItsLetters) {
  const Face face{10, false};
  EXPECT_DOUBLE_EQ(text_width("", face), 0);
  EXPECT_NEAR(text_width("Hello", face), 10 * (1479 + 1139 + 455 + 455 + 1139) / 2048.0, 1e-9);
  EXPECT_GT(text_width("Hello", {10, true}), text_width("Hello", face));
  EXPECT_DOUBLE_EQ(text_width("Hello", {20, false}), 2 * text_width("Hello", face));
}

TEST(TextWidth, TakesLettersThatTheFontHasNotAndBytesThatAreNone) {
  const Face face{10, false};
  EXPECT_GE(text_width("\xE9\x9D\x9E", face), 10);                  // a wide letter
  EXPECT_EQ(text_width("e\xCC\x81", face), text_width("e", face));  // a mark on a letter
  EXPECT_GT(text_width("\xff\xfe", face), 0);
}

TEST(Drawable, HasNothingThatXmlCannotHold) {
  EXPECT_EQ(drawable("a\x01"
                     "b\nc\xff"),
            "a\xEF\xBF\xBD"
            "b c\xEF\xBF\xBD");
  EXPECT_EQ(drawable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(drawable("\xE2\x80\xAE"), "\xEF\xBF\xBD");
  EXPECT_EQ(drawable("  K \xE2\x89\xA4 8 "), "K \xE2\x89\xA4 8");
}

TEST(Shortened, FitsAndKeepsWhatFits) {
  const Face face{8, false};
  for (const double width : {20.0, 40.0, 80.0}) {
    for (const std::string text : {"a name that is rather long", "WWWWWWWWWWWWWWWWWWWWWWWWWWW"}) {
      EXPECT_LE(text_width(shorten_to(text, width, face), face), width);
      EXPECT_LE(text_width(shorten_within(text, width, face), face), width);
      for (const std::string& line : wrap_to(text, width, face, 3)) {
        EXPECT_LE(text_width(line, face), width) << line;
      }
    }
  }
  EXPECT_EQ(shorten_to("short", 100, face), "short");
  EXPECT_EQ(shorten_within("node-17.example.org:3", 60, face).substr(0, 4), "node");
  EXPECT_TRUE(shorten_within("node-17.example.org:3", 60, face).ends_with(":3"));
}

TEST(Wrapped, KeepsAllWordsWhereThereAreLinesEnough) {
  std::string joined;
  for (const std::string& line : wrap_to("one two three four five six", 45, {8, false}, 9)) {
    joined += (joined.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(joined, "one two three four five six");
  EXPECT_TRUE(wrap_to("", 45, {8, false}, 9).empty());
}

TEST(Coordinate, IsShortAndFinite) {
  EXPECT_EQ(coordinate(1), "1");
  EXPECT_EQ(coordinate(100), "100");
  EXPECT_EQ(coordinate(1.250001), "1.25");
  EXPECT_EQ(coordinate(-0.0001), "0");
  EXPECT_EQ(coordinate(kInfinity), "0");
  EXPECT_EQ(coordinate(NAN), "0");
}

TEST(Writer, EscapesWhateverItIsGiven) {
  SvgWriter out;
  out.text("text", {{"class", "a\"b<c>'&"}, {"x", 1.5}, {"id", ""}}, "1 < 2 & \x02");
  EXPECT_EQ(out.take(),
            "<text class=\"a&quot;b&lt;c&gt;&#39;&amp;\" x=\"1.5\">1 &lt; 2 &amp; \xEF\xBF\xBD"
            "</text>\n");
}

TEST(Scale, HasAFinitePlaceForEverythingButNan) {
  for (const bool log : {false, true}) {
    ChartAxis axis;
    axis.log = log;
    axis.low = 0.1;
    axis.high = 10;
    const Scale scale{axis, 100, 0};
    EXPECT_DOUBLE_EQ(scale.at(0.1), 100);
    EXPECT_DOUBLE_EQ(scale.at(10), 0);
    for (const double value : {0.0, -1.0, -kInfinity}) {
      EXPECT_TRUE(std::isfinite(scale.at(value)));
      EXPECT_GT(scale.at(value), 100) << "below the axis";
    }
    EXPECT_LT(scale.at(kInfinity), 0);
    EXPECT_TRUE(std::isnan(scale.at(NAN)));
  }
}

TEST(DrawnAxis, OfALogarithmBeginsAboveZero) {
  ChartAxis axis;
  axis.either = true;
  axis.high = 1;
  const std::vector<double> values = {0, -1, 0.002, 0.9, NAN};
  EXPECT_FALSE(drawn_axis(axis, {}, values).log);
  const ChartAxis log = drawn_axis(axis, true, values);
  EXPECT_TRUE(log.log);
  EXPECT_GT(log.low, 0.001);
  EXPECT_LT(log.low, 0.002);
  EXPECT_GT(drawn_axis(axis, true, std::vector<double>{}).low, 0);
  axis.low = -5;
  axis.high = -1;
  EXPECT_FALSE(drawn_axis(axis, true, values).log) << "there is nothing above zero";
}

TEST(DrawnAxis, HasEndsThatCanBeDrawn) {
  ChartAxis axis;
  axis.low = -kInfinity;
  axis.high = NAN;
  const ChartAxis drawn = drawn_axis(axis, {}, std::vector<double>{3, 7});
  EXPECT_EQ(drawn.low, 3);
  EXPECT_EQ(drawn.high, 7);
}

TEST(ClipLine, EndsAtTheBorderAndGoesOnWhereItComesBack) {
  const auto pieces = clip_line({{0, 5}, {5, 15}, {10, 5}}, {0, 0, 10, 10});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_DOUBLE_EQ(pieces[0].back().y, 10);
  EXPECT_DOUBLE_EQ(pieces[0].back().x, 2.5);
  EXPECT_DOUBLE_EQ(pieces[1].front().x, 7.5);
  EXPECT_EQ(clip_line({{0, 1}, {NAN, 1}, {4, 1}, {5, 1}}, {0, 0, 10, 10}).size(), 1U);
  EXPECT_TRUE(clip_line({{20, 20}, {30, 30}}, {0, 0, 10, 10}).empty());
}

TEST(ClipArea, StaysWithin) {
  const Box box{0, 0, 10, 10};
  for (const ChartPoint& corner : clip_area({{-5, 5}, {5, -50}, {15, 5}, {5, 1e6}}, box)) {
    EXPECT_TRUE(box.holds(corner.x, corner.y)) << corner.x << " " << corner.y;
  }
  EXPECT_TRUE(clip_area({{20, 20}, {30, 20}, {25, 30}}, box).empty());
  EXPECT_TRUE(clip_area({}, box).empty());
}

TEST(Slots, TouchTheirNeighboursAndHaveRoom) {
  ChartAxis axis;
  axis.low = 1;
  axis.high = 4;
  Scale scale{axis, 0, 100};
  const std::vector<double> values = {1, 2, 3, 4};
  make_room(values, scale);
  const std::vector<Slot> slots = slots_of(values, scale);
  ASSERT_EQ(slots.size(), 4U);
  EXPECT_NEAR(slots.front().from, 0, 1e-9);
  EXPECT_NEAR(slots.back().to, 100, 1e-9);
  for (std::size_t i = 1; i < slots.size(); ++i) EXPECT_NEAR(slots[i].from, slots[i - 1].to, 1e-9);
}

TEST(PushApart, LeavesNoTwoTouchingAndTheirOrderAsItIs) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<SvgEndLabel> labels;
    const int count = 1 + trial % 8;
    for (int i = 0; i < count; ++i) {
      SvgEndLabel label;
      label.lines.assign(static_cast<std::size_t>(1 + (trial + i) % 2), "name");
      label.line_y = trial % 3 == 0 ? 50 : 200 * random.uniform();
      labels.push_back(label);
    }
    ASSERT_TRUE(push_apart(labels, 10, 0, 200));
    double end = 0;
    for (const SvgEndLabel& label : labels) {
      const double half = 5 * static_cast<double>(label.lines.size());
      EXPECT_GE(label.y - half, end - 1e-9);
      end = label.y + half;
    }
    EXPECT_LE(end, 200 + 1e-9);
  }
}

TEST(PushApart, LeavesALabelThatTouchesNoneAtItsLineAndSaysWhenTheyCannotFit) {
  std::vector<SvgEndLabel> labels(2);
  labels[0].lines = labels[1].lines = {"name"};
  labels[0].line_y = 20;
  labels[1].line_y = 80;
  ASSERT_TRUE(push_apart(labels, 10, 0, 100));
  EXPECT_DOUBLE_EQ(labels[0].y, 20);
  EXPECT_DOUBLE_EQ(labels[1].y, 80);
  EXPECT_FALSE(push_apart(labels, 10, 0, 15));
}

TEST(Flags, StandSideBySideWhereTheyCan) {
  std::vector<SvgFlag> flags(2);
  flags[0].text = "advice K = 16";
  flags[0].at = 100;
  flags[1].text = "bend K = 23";
  flags[1].at = 110;
  EXPECT_EQ(raise_flags(flags, {8, false}, 0, 250), 1);
  flags[0].at = 230;
  flags[1].at = 240;
  EXPECT_EQ(raise_flags(flags, {8, false}, 0, 250), 2);
}

double luminance(std::string_view color) {
  std::string hex(color.substr(1));
  if (hex.size() == 3) hex = {hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]};
  const double weights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(hex.substr(2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/// Web Content Accessibility Guidelines 2.1, on white.
double contrast(std::string_view color) {
  return 1.05 / (luminance(color) + 0.05);
}

TEST(Looks, CanBeSeenAndReadOnWhite) {
  Chart chart;
  for (int i = 0; i < 20; ++i) {
    ChartSeries series;
    series.role = i == 18 ? SeriesRole::kIdeal : i == 19 ? SeriesRole::kBound : SeriesRole::kCurve;
    chart.series.push_back(series);
  }
  for (const Look& look : svg_looks_of(chart)) {
    EXPECT_GE(contrast(look.ink), 3) << look.ink;
    EXPECT_GE(contrast(look.letters), 4.5) << look.letters;
  }
  EXPECT_GE(contrast(kInk), 4.5);
  EXPECT_GE(contrast(kFaintInk), 4.5);
}

TEST(Looks, OfOneColourDifferInLineAndMark) {
  Chart chart;
  ChartSeries series;
  series.color = 2;
  series.line = {{0, 0}, {1, 1}};
  series.marks = {{0, 0}};
  chart.series = {series, series};
  const std::vector<Look> looks = svg_looks_of(chart);
  EXPECT_EQ(looks[0].ink, looks[1].ink);
  EXPECT_NE(looks[0].dash, looks[1].dash);
  EXPECT_NE(looks[0].hollow, looks[1].hollow);
}

TEST(ScaleColor, GrowsLighterAllTheWay) {
  double last = -1;
  for (int i = 0; i <= 50; ++i) {
    const double now = luminance(scale_color(i / 50.0));
    EXPECT_GT(now, last) << i;
    last = now;
  }
  EXPECT_EQ(scale_color(-3), scale_color(0));
  EXPECT_EQ(scale_color(7), scale_color(1));
}

}  // namespace
}  // namespace kstar
