#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/gzip.h"

namespace kstar {
namespace {

TEST(Base64, AgreesWithTheExamplesOfTheRfc) {  // RFC 4648, section 10
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, BringsEveryByteBack) {
  std::string bytes;
  for (int i = 0; i < 700; ++i) bytes += static_cast<char>(i * 7);
  EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  std::string folded = to_base64(bytes);
  folded.insert(100, "\r\n  ");
  EXPECT_EQ(from_base64(folded), bytes);
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zm8", "=", "Zg==Zg==", "Zm9v!", "Zm9v<"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

TEST(Gzip, IsReadBackAndAlwaysTheSame) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(300000, 'x')}) {
    const std::string packed = gzip(text);
    EXPECT_EQ(packed, gzip(text));
    const auto unpacked = gunzip(packed, "test", text.size() + 1);
    ASSERT_TRUE(unpacked);
    EXPECT_EQ(unpacked->view(), text);
  }
}

}  // namespace
}  // namespace kstar
