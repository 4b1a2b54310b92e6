// Documents as pages.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "kstar/document.h"
#include "kstar/prediction_report.h"
#include "support/predictions.h"

namespace kstar {
namespace {

constexpr char kEvil[] = "</script><script>x()</script><img src=x onerror=x()>\x1b[31m\" {{body}}";

Chart small_chart(const std::string& name) {
  Chart chart;
  chart.title = name;
  chart.x = {.label = "K", .low = 1, .high = 4, .workers = true};
  chart.y = {.label = name, .low = 0, .high = 4};
  chart.series.push_back({.name = name, .marks = {{.x = 1, .y = 1, .tip = name + "\nS\t1"}}});
  chart.series.push_back({.name = "ideal", .line = {{1, 1}, {4, 4}}});
  return chart;
}

Document document_of(const std::string& text) {
  return {{Heading{text}, Paragraph{"Run on 8 workers. It is so: " + text},
           Items{text, {text}, {text}}, Items{text, {text}, {}, {text}}, small_chart(text),
           Table{{{text}, {text}}, {{text, text}}}, Heading{text, true}, Paragraph{text},
           Heading{.text = text, .folded = true}, small_chart(text), small_chart("b")}};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(DocumentPage, MakesEveryTextData) {
  const std::string page = document_page(document_of(kEvil), kEvil);
  EXPECT_EQ(page.find("<script>x()"), page.npos);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find('\x1b'), page.npos);
  EXPECT_EQ(page.find(" style=\""), page.npos);
  EXPECT_EQ(page.find("https://"), page.npos);
  // As many as without: nothing was filled into the text's own {{body}}.
  const std::string plain = document_page(document_of("plain"), "plain");
  EXPECT_EQ(times(page, "<section"), times(plain, "<section"));
  EXPECT_EQ(times(page, "<script"), times(plain, "<script"));
}

TEST(DocumentPage, TrustsItsOwnStyleAndScriptAlone) {
  const std::string page = document_page(document_of("plain"), "plain");
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), page.npos);
  EXPECT_EQ(page.find("unsafe"), page.npos);
}

TEST(DocumentPage, SaysTheAnswerFirstWithTheChartBesideIt) {
  const std::string page = document_page(document_of("plain"), "plain");
  const std::size_t answer = page.find("<p class=\"answer\">Run on 8 workers.</p>");
  const std::size_t chart = page.find("<div class=\"seen\">");
  const std::size_t table = page.find("aria-label=\"plain, plain\"><table>");
  ASSERT_NE(answer, page.npos);
  ASSERT_NE(chart, page.npos);
  EXPECT_LT(answer, chart);
  EXPECT_LT(chart, table);
}

TEST(DocumentPage, HasOneSectionPerHeadingAndItsTitleOnce) {
  const std::string page = document_page(document_of("plain"), "plain");
  EXPECT_EQ(times(page, "<h1><bdi>plain</bdi></h1>"), 1U);
  EXPECT_NE(page.find("<h2 id=\"answer-title\" class=\"unseen\"><bdi>The answer"), page.npos);
  EXPECT_EQ(times(page, "<section"), 1U);
  EXPECT_EQ(times(page, "<details class=\"fold\" id=\"section-2\">"), 1U);
  EXPECT_NE(page.find("<a href=\"#section-2\">"), page.npos);
  EXPECT_NE(document_page(document_of("plain"), "other").find("<bdi>plain</bdi></h2>"), page.npos);
}

TEST(DocumentPage, GivesEveryFigureIdsOfItsOwn) {
  const std::string page = document_page(document_of("plain"), "plain");
  const std::regex id(" id=\"([^\"]+)\"");
  std::set<std::string> seen;
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at) {
    EXPECT_TRUE(seen.insert((*at)[1]).second) << (*at)[1];
  }
  EXPECT_EQ(times(page, "<figure"), 3U);
  EXPECT_EQ(times(page, "<div class=\"charts\">"), 1U);  // the last two stand side by side
}

TEST(DocumentPage, HasCommandsToCopyWhichTextEndsWith) {
  const Document document{{Paragraph{"a"}, Paragraph{"Next:", "kstar measure --workers <8>"}}};
  EXPECT_EQ(to_terminal(document, {}), "a\n\nNext: kstar measure --workers <8>\n");
  EXPECT_NE(document_page(document, "t").find("<span>--workers</span> &lt;8&gt;</code>"),
            std::string::npos);
}

TEST(DocumentPage, BreaksNoFlagBehindItsDashes) {
  const std::string page =
      document_page({{Paragraph{"a"}, Items{"", {"b (--regime sets it) --"}}}}, "t");
  EXPECT_NE(page.find("(<span class=\"whole\">--regime</span> sets it) --<"), page.npos);
}

TEST(DocumentPage, OfNothingIsStillAPage) {
  EXPECT_NE(document_page({}, "").find("</html>"), std::string::npos);
  EXPECT_NE(document_page({{Paragraph{""}}}, "t").find("</html>"), std::string::npos);
  EXPECT_EQ(document_page({{Paragraph{"a"}}}, "t").find("class=\"contents\""), std::string::npos);
}

TEST(DocumentPage, OfAPredictionHasItsAnswerItsCurvesAndAllNumbers) {
  const std::vector<Prediction> one = predictions("amdahl", {{"serial", {"0.05"}}}, {1, 2, 4, 8});
  const std::string page = document_page(to_document(one, {.page = true}), "Amdahl");
  EXPECT_NE(page.find("<p class=\"answer\">Run on "), page.npos);
  EXPECT_EQ(times(page, "<figure"), 1U);
  EXPECT_NE(page.find("All numbers"), page.npos);
  EXPECT_NE(page.find(" data-copy>"), page.npos);
  EXPECT_EQ(page.find("--full"), page.npos);
}

}  // namespace
}  // namespace kstar
