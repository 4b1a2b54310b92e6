#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/gzip.h"
#include "kstar/import.h"
#include "kstar/study_file.h"
#include "support/study_examples.h"

namespace kstar {
namespace {

std::string element(std::string_view name, std::string_view content) {
  return fmt::format("<script type=\"application/x-kstar-study\" data-name=\"{}\">{}</script>\n",
                     name, content);
}

std::string packed(const Study& study) {
  return to_base64(gzip(*to_lines(study)));
}

std::string page(std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html><head><meta name=\"generator\" content=\"kstar 0.1.0\"></head>\n"
      "<body>\n{}</body></html>\n",
      body);
}

TEST(ImportReport, BringsTheStudyBackByteForByte) {
  const Study study = full_study();
  const auto back = import_text(page(element("a", packed(study))), "report.html");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*to_lines(*back), *to_lines(study));
}

TEST(ImportReport, TakesTheStudyThatSelectNames) {
  const std::string text = page(element("one &amp; &quot;1&quot;", packed(small_study(4))) +
                                element("two", packed(small_study(8))));
  const auto any = import_text(text, "report.html");
  ASSERT_FALSE(any);
  EXPECT_NE(any.error().hint.find("'one & \"1\"', 'two'"), std::string::npos) << any.error().hint;
  const auto second = import_text(text, "report.html", {.select = "two"});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->runs.size(), 8U);
  EXPECT_EQ(import_text(text, "report.html", {.select = "one & \"1\""})->runs.size(), 4U);
  EXPECT_FALSE(import_text(text, "report.html", {.select = "three"}));
}

TEST(ImportReport, SaysWhatIsWrongWithAPage) {
  const std::string good = packed(small_study());
  const std::pair<std::string, const char*> pages[] = {
      {page(""), "contains no study"},
      {page(element("a", "")), "too large to be embedded in the page"},
      {page(element("a", "!!!")), "no base64"},
      {page(element("a", to_base64("no gzip at all"))), "damaged gzip data"},
      {page(element("a", good.substr(0, good.size() / 8 * 4))), "ends early"},
      {page(element("a", to_base64(gzip("no study")))), "expected"},
      {page("<script type=\"application/x-kstar-study\" data-name=\"a\">" + good),
       "the page is truncated inside its study"}};
  for (const auto& [text, words] : pages) {
    const auto study = import_text(text, "report.html");
    ASSERT_FALSE(study) << words;
    EXPECT_NE(study.error().message.find(words), std::string::npos) << study.error().message;
    EXPECT_NE(study.error().where.find("report.html"), std::string::npos);
  }
}

TEST(ImportReport, DoesNotFillTheMemoryFromASmallPage) {
  const std::string bomb = to_base64(gzip(std::string((std::size_t{256} << 20U) + 10, ' ')));
  ASSERT_LT(bomb.size(), 2U << 20U);
  const auto study = import_text(page(element("a", bomb)), "report.html");
  ASSERT_FALSE(study);
  EXPECT_NE(study.error().message.find("more than 256 MiB"), std::string::npos);
}

}  // namespace
}  // namespace kstar
