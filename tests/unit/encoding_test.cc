#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/base64.h"
#include "base/gzip.h"
#include "base/json.h"

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

TEST(Json, IsPutTogetherAsItLooks) {
  Json json = {
      {"name", "a\"b\n"}, {"pair", {1, true}}, {"none", Json::array()}, {"of", {{"x", 0.5}}}};
  json["more"] = std::vector<std::string>{"c", "d"};
  json["name"] = std::optional<int>();
  EXPECT_EQ(json.dump(),
            R"({"name":null,"pair":[1,true],"none":[],"of":{"x":0.5},"more":["c","d"]})");
  EXPECT_EQ(Json({{"a", 1}}).dump(2), "{\n  \"a\": 1\n}");
  EXPECT_EQ(Json::object().dump(), "{}");
}

TEST(Json, HasNoNumberThatJsonHasNotAndNoTextThatIsNoUtf8) {
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json("a\xFF\x01").dump(), "\"a\xEF\xBF\xBD\\u0001\"");
}

TEST(Json, IsReadBackInItsOrder) {
  const std::string text = R"({"z":[1,-2,18446744073709551615,0.1],"a":{"b":"c"},"n":null})";
  const std::optional<Json> json = Json::parse(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), text);
  ASSERT_NE(json->members(), nullptr);
  EXPECT_EQ(json->members()->at(1).name, "a");
  EXPECT_EQ(json->members()->at(1).value.text(), nullptr);
  EXPECT_FALSE(Json::parse("{"));
}

}  // namespace
}  // namespace kstar
