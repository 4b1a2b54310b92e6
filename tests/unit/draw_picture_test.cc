// PNG and PDF. Without librsvg there is an error to test instead.
#include <gtest/gtest.h>

#include <cmath>

#include "kstar/svg.h"
#include "support/sample_charts.h"

namespace kstar {
namespace {

bool built_without_librsvg() {
  const auto png = to_png(to_svg(speedup_sample()));
  return !png && png.error().message.find("librsvg") != std::string::npos;
}

unsigned big_endian(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

TEST(Picture, SaysWhatToDoWithoutLibrsvg) {
  if (!built_without_librsvg()) GTEST_SKIP() << "built with librsvg";
  EXPECT_NE(to_pdf(to_svg(speedup_sample())).error().hint.find("librsvg2-dev"), std::string::npos);
}

TEST(Picture, HasThePixelsThatItsResolutionGives) {
  if (built_without_librsvg()) GTEST_SKIP() << "built without librsvg";
  SvgStyle style;
  style.width = 252;
  style.height = 180;
  const auto png = to_png(to_svg(speedup_sample(), style), 144);
  ASSERT_TRUE(png);
  EXPECT_TRUE(png->starts_with("\x89PNG"));
  EXPECT_EQ(big_endian(*png, 16), 504U);
  EXPECT_EQ(big_endian(*png, 20), 360U);
  EXPECT_NE(png->find("pHYs"), std::string::npos);
}

TEST(Picture, IsTheSameEveryTime) {
  if (built_without_librsvg()) GTEST_SKIP() << "built without librsvg";
  const std::string svg = to_svg(speedup_sample());
  EXPECT_EQ(*to_png(svg), *to_png(svg));
  EXPECT_EQ(*to_pdf(svg), *to_pdf(svg));
  EXPECT_TRUE(to_pdf(svg)->starts_with("%PDF"));
}

TEST(Picture, RefusesWhatIsNoDrawingAndWhatIsTooLarge) {
  if (built_without_librsvg()) GTEST_SKIP() << "built without librsvg";
  EXPECT_FALSE(to_png("no drawing"));
  EXPECT_FALSE(to_pdf(""));
  EXPECT_FALSE(to_png("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"-1\" height=\"1\"/>"));
  for (const double dots : {0.0, -1.0, 1e9, static_cast<double>(NAN)}) {
    EXPECT_FALSE(to_png(to_svg(speedup_sample()), dots)) << dots;
  }
}

}  // namespace
}  // namespace kstar
