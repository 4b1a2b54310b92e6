// Drawings of charts that pictures break on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/look.h"
#include "kstar/svg.h"
#include "support/sample_charts.h"
#include "support/svg_texts.h"

namespace kstar {
namespace {

struct Drawn {
  std::string name;
  SvgStyle style;
  std::string svg;
};

/// Every sample at the sizes of a paper's columns, of a page and of a phone, on all scales.
const std::vector<Drawn>& drawings() {
  static const std::vector<Drawn> all = [] {
    std::vector<Drawn> made;
    const auto add = [&](const SampleChart& sample, const SvgStyle& style) {
      made.push_back({sample.name, style, to_svg(sample.chart, style)});
    };
    for (const SampleChart& sample : sample_charts()) {
      if (sample.name == "crowded") continue;
      for (const double width : {180.0, kOneColumn, kTwoColumns, 720.0}) {
        for (const double font : {6.0, 11.0}) {
          SvgStyle style;
          style.width = width;
          style.font = font;
          add(sample, style);
          style.title = false;
          style.id = "chart";
          style.log_x = style.log_y = true;
          add(sample, style);
          style.log_x = style.log_y = false;
          style.height = 150;
          add(sample, style);
        }
      }
    }
    return made;
  }();
  return all;
}

std::string called(const Drawn& drawn) {
  return drawn.name + " width " + std::to_string(drawn.style.width) + " font " +
         std::to_string(drawn.style.font) + " height " + std::to_string(drawn.style.height);
}

bool touch(const SvgTextBox& a, const SvgTextBox& b) {
  constexpr double kHair = 0.05;
  return a.left < b.right - kHair && b.left < a.right - kHair && a.top < b.bottom - kHair &&
         b.top < a.bottom - kHair;
}

TEST(Svg, NoTwoTextsTouch) {
  for (const Drawn& drawn : drawings()) {
    const std::vector<SvgTextBox> texts = svg_texts(drawn.svg);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(touch(texts[i], texts[j]))
            << called(drawn) << ": '" << texts[j].text << "' and '" << texts[i].text << "'";
      }
    }
  }
}

TEST(Svg, EverythingLiesWithinTheDrawing) {
  for (const Drawn& drawn : drawings()) {
    SCOPED_TRACE(called(drawn));
    const double width = std::stod(svg_attribute(drawn.svg, "width"));
    const double height = std::stod(svg_attribute(drawn.svg, "height"));
    for (const SvgTextBox& text : svg_texts(drawn.svg)) {
      EXPECT_GE(text.left, -0.01) << text.text;
      EXPECT_GE(text.top, -0.01) << text.text;
      EXPECT_LE(text.right, width + 0.01) << text.text;
      EXPECT_LE(text.bottom, height + 0.01) << text.text;
    }
    for (const SvgPlace& place : svg_places(drawn.svg)) {
      EXPECT_TRUE(place.x >= 0 && place.x <= width && place.y >= 0 && place.y <= height)
          << place.x << " " << place.y;
    }
  }
}

TEST(Svg, HasNoNumbersThatAreNone) {
  for (const Drawn& drawn : drawings()) {
    EXPECT_EQ(drawn.svg.find("nan"), std::string::npos) << called(drawn);
    EXPECT_EQ(drawn.svg.find("\"inf"), std::string::npos) << called(drawn);
    EXPECT_EQ(drawn.svg.find("e+"), std::string::npos) << called(drawn);
  }
}

TEST(Svg, IsTheSameEveryTime) {
  for (const SampleChart& sample : sample_charts()) {
    EXPECT_EQ(to_svg(sample.chart), to_svg(sample.chart)) << sample.name;
  }
}

TEST(Svg, IsWhatItsHeightSays) {
  SvgStyle style;
  style.height = 220;
  EXPECT_EQ(svg_attribute(to_svg(speedup_sample(), style), "height"), "220pt");
}

TEST(Svg, HasAttributesAndClassesAloneAndNoStyleSheet) {
  for (const Drawn& drawn : drawings()) {
    EXPECT_EQ(drawn.svg.find("style="), std::string::npos);
    EXPECT_EQ(drawn.svg.find("<style"), std::string::npos);
    EXPECT_EQ(drawn.svg.find("<script"), std::string::npos);
    EXPECT_EQ(drawn.svg.find("url("), std::string::npos);
  }
}

/// Whatever the number of series, a line has a colour and a dash, and a mark a colour and a shape,
/// that no other has.
TEST(Svg, DrawsNoTwoSeriesAlike) {
  Chart chart;
  chart.x.high = 10;
  for (int i = 0; i < 40; ++i) {
    ChartSeries series;
    series.name = std::to_string(i);
    series.line = {{0, double(i)}, {10, double(i)}};
    series.marks = {{5, double(i)}};
    chart.series.push_back(series);
  }
  chart.y.high = 40;
  std::set<std::string> lines, marks;
  for (const Look& look : svg_looks_of(chart)) {
    EXPECT_TRUE(lines.insert(std::string(look.ink) + "/" + std::string(look.dash)).second);
    EXPECT_TRUE(marks
                    .insert(std::string(look.ink) + std::to_string(look.shape) +
                            (look.hollow ? "hollow" : ""))
                    .second);
  }
}

TEST(Svg, ColoursOfRatiosHaveTwoSidesAroundTheirMiddle) {
  const ChartAxis values{.low = 0.9, .high = 1.1, .middle = 1};
  EXPECT_EQ(cell_color(values, 1), "#f7f7f7");
  EXPECT_NE(cell_color(values, 0.95), cell_color(values, 1.05));
  // As strong on one side as on the other, also where the axis has more room on one.
  const ChartAxis more{.low = 0, .high = 3, .middle = 1};
  EXPECT_EQ(cell_color(more, 3), two_sided_color(1));
  EXPECT_EQ(cell_color(more, 0), two_sided_color(0.25));
}

TEST(Svg, ForAFigureHasNothingForAPage) {
  for (const SampleChart& sample : sample_charts()) {
    const std::string svg = to_svg(sample.chart);
    EXPECT_EQ(svg.find(" id="), std::string::npos) << sample.name;
    EXPECT_EQ(svg.find(" data-"), std::string::npos) << sample.name;
    EXPECT_EQ(svg.find("k-hit"), std::string::npos) << sample.name;
  }
}

TEST(Svg, ForAPageHasIdsThatAreNotRepeatedAndBeginAsAsked) {
  SvgStyle style;
  style.id = "chart-7";
  for (const SampleChart& sample : sample_charts()) {
    const std::string svg = to_svg(sample.chart, style);
    std::set<std::string> seen;
    for (std::size_t at = svg.find(" id=\""); at != std::string::npos;
         at = svg.find(" id=\"", at + 1)) {
      const std::string id = svg_attribute(svg.substr(at), "id");
      EXPECT_TRUE(id.starts_with("chart-7")) << id;
      EXPECT_TRUE(seen.insert(id).second) << sample.name << " " << id;
    }
    EXPECT_GE(seen.size(), 2U);
  }
}

TEST(Svg, ForAPageHasATipForEveryValueAndAStepForThoseToStepThrough) {
  SvgStyle style;
  style.id = "c";
  const Chart chart = sample_charts()[2].chart;
  const std::string svg = to_svg(chart, style);
  for (const ChartSeries& series : chart.series) {
    EXPECT_NE(svg.find("data-series=\"" + series.name + "\""), std::string::npos) << series.name;
    for (const ChartMark& mark : series.marks) {
      EXPECT_NE(svg.find("data-tip=\"" + mark.tip + "\""), std::string::npos) << mark.tip;
    }
  }
  EXPECT_NE(svg.find("<g class=\"k-stepped\">"), std::string::npos);
  std::size_t steps = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartMark& mark : series.marks) {
      const std::string step = fmt::format("data-step=\"{}\"", mark.x);
      EXPECT_EQ(series.stepped, svg.find(step) != std::string::npos) << step;
      steps += series.stepped ? 1U : 0U;
    }
  }
  EXPECT_GT(steps, 2U);
}

TEST(Svg, StaysSmallWithAHundredThousandValues) {
  const Chart chart = crowded_sample();
  EXPECT_LT(to_svg(chart).size(), 400'000U);
  SvgStyle style;
  style.width = 720;
  style.id = "c";
  EXPECT_LT(to_svg(chart, style).size(), 400'000U);
}

TEST(Svg, NamesEightLinesBesideThemAndMoreInALegend) {
  Chart chart;
  chart.x.high = chart.y.high = 10;
  for (int i = 0; i < 8; ++i) {
    ChartSeries series;
    series.name = "line " + std::to_string(i);
    series.line = {{0, 0}, {10, 1.0 + i}};
    chart.series.push_back(series);
  }
  EXPECT_EQ(to_svg(chart).find("k-legend"), std::string::npos);
  chart.series.push_back(chart.series.back());
  EXPECT_NE(to_svg(chart).find("k-legend"), std::string::npos);
}

TEST(Svg, BarsAtOnePlaceStandBesideEachOther) {
  Chart chart;
  chart.x.high = chart.y.high = 10;
  ChartSeries series;
  series.marks = {{5, 5, 4, 6, ""}};
  chart.series = {series};
  const std::string alone = to_svg(chart);
  chart.series = {series, series};
  const std::string both = to_svg(chart);
  const auto bar = [](const std::string& svg, std::size_t from) {
    return svg_attribute(svg.substr(svg.find("k-bar", from)), "d");
  };
  const std::string first = bar(both, 0), second = bar(both, both.find("k-bar") + 1);
  EXPECT_NE(first, second);
  EXPECT_NE(first, bar(alone, 0));
}

TEST(Svg, LeavesScalesAloneThatCannotBeReadOtherwise) {
  Chart chart = speedup_sample();
  SvgStyle linear;
  linear.log_y = false;
  EXPECT_NE(to_svg(chart), to_svg(chart, linear));
  chart.x.either = chart.y.either = false;
  EXPECT_EQ(to_svg(chart), to_svg(chart, linear));
}

TEST(Svg, TakesSizesThatMakeNoSense) {
  for (const double size : {-5.0, 0.0, 1e300, static_cast<double>(NAN)}) {
    SvgStyle style;
    style.width = style.height = style.font = size;
    EXPECT_FALSE(svg_texts(to_svg(speedup_sample(), style)).empty());
  }
}

}  // namespace
}  // namespace kstar
