#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/gunzip.h"
#include "base/gzip.h"
#include "base/sha256.h"

namespace kstar {
namespace {

std::string hex(std::string_view text) {
  std::string digits;
  for (const std::uint8_t byte : sha256(text)) digits += fmt::format("{:02x}", byte);
  return digits;
}

TEST(Sha256, AgreesWithThePublishedExamples) {  // FIPS 180-4 examples, and NIST's long message
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

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
